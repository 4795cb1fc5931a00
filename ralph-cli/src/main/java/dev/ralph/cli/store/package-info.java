/**
 * The commands on the log itself and on its store. Begin with {@link
 * dev.ralph.cli.store.LogCommand} and {@link dev.ralph.cli.store.FrameForm}; {@link
 * dev.ralph.cli.store.DoctorCommand} examines the installation, {@link
 * dev.ralph.cli.store.VerifyCommand} the store.
 */
@NullMarked
package dev.ralph.cli.store;

import org.jspecify.annotations.NullMarked;
