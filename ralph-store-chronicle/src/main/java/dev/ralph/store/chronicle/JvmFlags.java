package dev.ralph.store.chronicle;

import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a JVM must be started with for Chronicle, which reaches into the platform. Without it,
 * Chronicle fails with errors that do not tell what to do.
 */
final class JvmFlags {

  /** The first JDK that asks for leave to use native code and raw memory. */
  private static final int RESTRICTS_NATIVE_ACCESS = 24;

  private JvmFlags() {}

  /**
   * Checks that this JVM can run Chronicle.
   *
   * @throws RalphException UNSUPPORTED with the arguments to add if it can't
   */
  static void check() {
    List<String> missing = missing();
    if (!missing.isEmpty()) {
      throw RalphException.unsupported(
          "this JVM can't run the chronicle store; start it with " + String.join(" ", missing));
    }
  }

  /** Returns the arguments that a JVM of this version needs. */
  static List<String> needed() {
    Module own = JvmFlags.class.getModule();
    // Chronicle has no module descriptors, so nothing asks for what it needs of other modules.
    List<String> all =
        new ArrayList<>(
            own.isNamed() ? List.of("--add-modules=org.slf4j,jdk.unsupported") : List.of());
    String user = own.isNamed() ? own.getName() + ",chronicle.core" : "ALL-UNNAMED";
    all.add("--add-opens=java.base/java.lang.reflect=" + user);
    all.add("--add-exports=java.base/sun.nio.ch=" + user);
    all.add("--add-exports=java.base/jdk.internal.ref=" + user);
    if (Runtime.version().feature() >= RESTRICTS_NATIVE_ACCESS) {
      all.add("--enable-native-access=" + user);
      all.add("--sun-misc-unsafe-memory-access=allow");
    }
    return all;
  }

  private static List<String> missing() {
    Module base = Object.class.getModule();
    Module own = JvmFlags.class.getModule();
    boolean reachable =
        base.isOpen("java.lang.reflect", own)
            && base.isExported("sun.nio.ch", own)
            && base.isExported("jdk.internal.ref", own);
    boolean later = Runtime.version().feature() >= RESTRICTS_NATIVE_ACCESS;
    return reachable && (!later || allowsNativeAccess(own)) ? List.of() : needed();
  }

  /** Asks for what is only known to later platforms than this is compiled for. */
  private static boolean allowsNativeAccess(Module module) {
    try {
      return (Boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(module);
    } catch (ReflectiveOperationException e) {
      return true;
    }
  }
}
