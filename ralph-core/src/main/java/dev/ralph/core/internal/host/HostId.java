package dev.ralph.core.internal.host;

import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Meta;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a host: a machine, and the folder of its repositories. Unpushed work exists only
 * in the host's folder. Therefore two folders on a machine are two hosts.
 *
 * @param folder null for a loop without a host, and for a person
 */
record HostId(String machine, @Nullable String folder) {

  /** Returns the host of a folder on this machine. */
  static HostId here(@Nullable Path folder) {
    return new HostId(ProcessIdentity.current().host(), folder == null ? null : folder.toString());
  }

  /** Returns the host named in a frame. */
  static HostId of(Meta meta) {
    String machine = meta.string("host");
    return new HostId(machine == null ? "unknown" : machine, meta.string("folder"));
  }

  Meta in(Meta meta) {
    return meta.with("host", machine).with("folder", folder);
  }

  /** Returns whether this host can have the unpushed work of another. */
  boolean hasWhatIsLeftBy(HostId other) {
    return machine.equals(other.machine) && (other.folder == null || other.folder.equals(folder));
  }

  @Override
  public String toString() {
    return folder == null ? machine : machine + ":" + folder;
  }
}
