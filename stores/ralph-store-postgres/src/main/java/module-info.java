/** A store that keeps its log in a PostgreSQL database. */
@SuppressWarnings("requires-automatic") // neither the driver nor jsr305 has a module descriptor
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
