/** What every durable store needs once. */
@SuppressWarnings("requires-automatic")
module dev.ralph.store.support {
  requires transitive dev.ralph.api;
  requires static jsr305;

  exports dev.ralph.store.support;
}
