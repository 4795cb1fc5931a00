/** What every durable store needs once. */
module dev.ralph.store.support {
  requires transitive dev.ralph.api;
  requires static org.jspecify;

  exports dev.ralph.store.support;
}
