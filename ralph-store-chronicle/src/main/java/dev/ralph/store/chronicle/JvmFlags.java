package dev.ralph.store.chronicle;

import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;

/**
 * The JVM arguments that Chronicle needs to access internals of the platform. Without them,
 * Chronicle fails with errors that name no remedy.
 */
final class JvmFlags {

  /** The first JDK that restricts access to native code and raw memory. */
  private static final int RESTRICTS_NATIVE_ACCESS = 24;

  private JvmFlags() {}

  /**
   * Checks that this JVM has the arguments for Chronicle.
   *
   * @throws RalphException UNSUPPORTED with the arguments to add if at least one is missing
   */
  static void check() {
    List<String> missing = missing();
    if (!missing.isEmpty()) {
      throw RalphException.unsupported(
          "this JVM can't run the chronicle store; add the arguments " + String.join(" ", missing));
    }
  }

  /** Returns the arguments that a JVM of this version needs. */
  static List<String> needed() {
    Module own = JvmFlags.class.getModule();
    // Chronicle's required modules must be added, because Chronicle has no module descriptors.
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

  /** Calls a method of JDK 22 and later by reflection, because the code compiles on JDK 17. */
  private static boolean allowsNativeAccess(Module module) {
    try {
      return (Boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(module);
    } catch (ReflectiveOperationException e) {
      return true;
    }
  }
}
