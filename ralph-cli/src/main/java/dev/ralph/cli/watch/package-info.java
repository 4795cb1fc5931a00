/**
 * The command that shows a session while it runs. Begin with {@link
 * dev.ralph.cli.watch.WatchCommand} and {@link dev.ralph.cli.watch.WatchLoop}, the loop of a view;
 * {@link dev.ralph.cli.watch.WatchPage} lays out a page, {@link dev.ralph.cli.watch.WatchLines}
 * renders frames as lines.
 */
@NullMarked
package dev.ralph.cli.watch;

import org.jspecify.annotations.NullMarked;
