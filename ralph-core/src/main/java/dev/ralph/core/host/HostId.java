package dev.ralph.core.host;

import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Meta;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Who takes sessions: a machine, and the folder there that has their repositories. What a host has
 * not pushed is in that folder, so two folders of one machine are two hosts.
 *
 * @param folder null for a loop that no host runs, and for a person
 */
record HostId(String machine, @Nullable String folder) {

  /** Returns this machine's host of that folder. */
  static HostId here(@Nullable Path folder) {
    return new HostId(ProcessIdentity.current().host(), folder == null ? null : folder.toString());
  }

  /** Returns the one that a frame names. */
  static HostId of(Meta meta) {
    String machine = meta.string("host");
    return new HostId(machine == null ? "unknown" : machine, meta.string("folder"));
  }

  Meta in(Meta meta) {
    return meta.with("host", machine).with("folder", folder);
  }

  /** Returns whether what that one has left can be here. */
  boolean hasWhatIsLeftBy(HostId other) {
    return machine.equals(other.machine) && (other.folder == null || other.folder.equals(folder));
  }

  @Override
  public String toString() {
    return folder == null ? machine : machine + ":" + folder;
  }
}
