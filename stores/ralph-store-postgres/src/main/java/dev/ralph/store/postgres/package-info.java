/**
 * Keeps the log in a PostgreSQL database that processes on several hosts share. Begin with {@link
 * dev.ralph.store.postgres.PostgresStores} and {@link dev.ralph.store.postgres.PostgresAddress}.
 * Inside, {@link dev.ralph.store.postgres.PostgresFrameStore} implements the store, {@link
 * dev.ralph.store.postgres.GroupAppender} appends, {@link dev.ralph.store.postgres.CommitHorizon}
 * bounds what readers see, and {@code schema.sql} contains the functions of the server.
 */
@NullMarked
package dev.ralph.store.postgres;

import org.jspecify.annotations.NullMarked;
