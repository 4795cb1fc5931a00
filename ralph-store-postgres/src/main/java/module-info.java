/** The store on PostgreSQL. */
@SuppressWarnings("requires-automatic") // the driver and jsr305 have no descriptors
module dev.ralph.store.postgres {
  requires transitive dev.ralph.api;
  requires transitive java.sql;
  requires org.postgresql.jdbc;
  requires static jsr305;
  requires static org.jspecify;

  exports dev.ralph.store.postgres;

  uses java.sql.Driver;

  provides dev.ralph.spi.FrameStoreProvider with
      dev.ralph.store.postgres.PostgresStoreProvider;
}
