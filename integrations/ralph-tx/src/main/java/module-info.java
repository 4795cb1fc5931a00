/** Messages of TX, which are files. */
module dev.ralph.tx {
  requires transitive dev.ralph.mail;
  requires com.fasterxml.jackson.core;
  requires dev.ralph.store.support;
  requires org.snakeyaml.engine;
  requires static org.jspecify;

  exports dev.ralph.tx;
}
