package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import dev.ralph.spi.FrameStoreProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The unpacked release archives, in a path with spaces, used by a user who does not own them. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class InstallationIT {

  private static final String UNPACK_TAR = "tar xzf '%s' -C '%s'";
  private static final String UNPACK_ZIP = "unzip -q '%s' -d '%s'";

  @TempDir Path folder;
  private Checkout checkout;
  private Path home;
  private boolean superuser;

  @BeforeEach
  void makeAPlace() throws Exception {
    checkout = Checkout.in(folder);
    superuser = Files.getAttribute(folder, "unix:uid").equals(0);
    shell("chmod a+rwx .. ."); // the user's home folder and its parent
  }

  @AfterEach
  void nothingMakesArchivesAnyMore() throws Exception {
    checkout.endMakers();
  }

  private void shell(String script) throws Exception {
    Exit exit = checkout.shell(script);
    assertThat(exit.code()).as(exit.err()).isZero();
  }

  /** Unpacks an archive, so that only its owner can write there. */
  private void unpack(String ending) throws Exception {
    Path archive;
    try (Stream<Path> built = Files.list(Path.of("target").toAbsolutePath())) {
      archive = built.filter(path -> isInstallation(path, ending)).findFirst().orElseThrow();
    }
    Path to = Files.createDirectory(folder.resolve("an installation"));
    String command = ending.equals(".zip") ? UNPACK_ZIP : UNPACK_TAR;
    shell("umask 022; chmod a+rx '" + to + "'; " + String.format(command, archive, to));
    try (Stream<Path> unpacked = Files.list(to)) {
      home = unpacked.findFirst().orElseThrow();
    }
  }

  private static boolean isInstallation(Path path, String ending) {
    return path.getFileName().toString().matches("ralph-[0-9.]+(-SNAPSHOT)?" + ending);
  }

  /** Runs a command of the installation without Maven, as a user without write access to it. */
  private Exit run(Map<String, String> variables, String program, String... words)
      throws Exception {
    List<String> command =
        new ArrayList<>(
            superuser
                ? List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
                : List.of());
    command.addAll(List.of("env", "PATH=" + pathWithoutMaven(), "HOME=" + checkout.work()));
    variables.forEach((name, value) -> command.add(name + "=" + value));
    command.add(home.resolve("bin").resolve(program).toString());
    command.addAll(List.of(words));
    // The launcher ignores a relative cache folder, so tests do not spend time on archives.
    return checkout.run(Map.of("XDG_CACHE_HOME", "none"), command.toArray(new String[0]));
  }

  private Exit ralph(String... words) throws Exception {
    return run(Map.of(), "ralph", words);
  }

  /** Returns the PATH, preceded by a Maven that fails. */
  private String pathWithoutMaven() throws IOException {
    Path maven = Files.createDirectories(folder.resolve("no maven")).resolve("mvn");
    if (Files.notExists(maven)) {
      Files.writeString(maven, "#!/bin/sh\necho 'Maven was called' >&2\nexit 1\n");
      Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return maven.getParent() + ":" + System.getenv("PATH");
  }

  @ParameterizedTest
  @ValueSource(strings = {".tar.gz", ".zip"})
  void unpackedArchive_runsDemo(String ending) throws Exception {
    unpack(ending);

    Exit demo = ralph("demo", checkout.work().resolve("a demo").toString(), "--quiet");

    assertThat(demo.code()).as(demo.err()).isZero();
    assertThat(demo.out()).contains("'" + home + "/bin/ralph' status --name demo");
    Exit help = run(Map.of(), "agentmail", "--help");
    assertThat(help.code()).as(help.err()).isZero();
    assertThat(help.out()).startsWith("usage: agentmail");
  }

  @Test
  void installation_includesChronicleStore() throws Exception {
    unpack(".tar.gz");
    Map<String, String> store = Map.of("RALPH_STORE", "chronicle:" + checkout.work() + "/queue");

    Exit added = run(store, "ralph", "task", "add", "-n", "a", "--create", "one");

    assertThat(added.code()).as(added.err()).isZero();
    assertThat(run(store, "ralph", "tasks", "-n", "a").out()).endsWith("remaining   one\n");
  }

  @Test
  void installation_runsThroughLink() throws Exception {
    unpack(".tar.gz");
    Path link = Files.createSymbolicLink(checkout.work().resolve("r"), home.resolve("bin/ralph"));

    Exit exit = checkout.run(Map.of(), link.toString(), "doctor");

    assertThat(exit.out()).contains("ok   launcher: " + home.toRealPath() + "/bin/ralph\n");
  }

  @Test
  void missingJar_isReportedWithRemedy() throws Exception {
    unpack(".tar.gz");
    Files.delete(home.resolve("lib/ralph.jar"));

    Exit exit = ralph("--version");

    assertThat(exit.code()).isEqualTo(2);
    assertThat(exit.err())
        .isEqualTo(
            "ralph: "
                + home.toRealPath()
                + "/lib/ralph.jar is missing; unpack the whole archive, and call bin/ralph in place"
                + " or by a link\n");
  }

  // ---- third-party stores

  /** Packs a store into a jar, as its user receives it. */
  private static Path plugin(Path jar) throws IOException {
    String provider = PluggedStoreProvider.class.getName();
    String file = provider.replace('.', '/') + ".class";
    Files.createDirectories(jar.getParent());
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream packed = new JarOutputStream(out);
        InputStream code = PluggedStoreProvider.class.getResourceAsStream("/" + file)) {
      packed.putNextEntry(new JarEntry("META-INF/services/" + FrameStoreProvider.class.getName()));
      packed.write(provider.getBytes(StandardCharsets.UTF_8));
      packed.putNextEntry(new JarEntry(file));
      code.transferTo(packed);
    }
    return jar;
  }

  private Exit addTo(String store, Map<String, String> variables) throws Exception {
    return run(variables, "ralph", "task", "add", "-n", "a", "--create", "x", "--store", store);
  }

  @Test
  void storePlugin_isLoadedFromInstallation() throws Exception {
    unpack(".tar.gz");
    plugin(home.resolve("plugins/plugged.jar"));

    Exit added = addTo("plugged:a", Map.of());

    assertThat(added.code()).as(added.err()).isZero();
    assertThat(checkout.work().resolve("a/log")).isDirectory();
  }

  @Test
  void pluginClasspath_mustBeAbsolute() throws Exception {
    unpack(".tar.gz");
    Path jar = plugin(checkout.work().resolve("plugged.jar"));

    Exit added = addTo("plugged:a", Map.of("RALPH_CLASSPATH", jar.toString()));
    assertThat(added.code()).as(added.err()).isZero();

    for (String relative : List.of("plugged.jar", "/x:plugged.jar", "/x:", ":/x", "/x::/y")) {
      Exit refused = addTo("plugged:a", Map.of("RALPH_CLASSPATH", relative));
      assertThat(refused.code()).isEqualTo(2);
      assertThat(refused.err())
          .isEqualTo("ralph: RALPH_CLASSPATH is " + relative + "; each path must begin with /\n");
    }
  }

  @Test
  void pluginInProject_isNotLoaded() throws Exception {
    unpack(".tar.gz");
    plugin(checkout.work().resolve("plugins/plugged.jar"));
    plugin(checkout.work().resolve(".ralph/plugins/plugged.jar"));
    plugin(checkout.work().resolve("lib/plugged.jar"));

    Exit refused = addTo("plugged:a", Map.of());

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("unknown kind of store 'plugged'");
  }

  // ---- bundled libraries

  @Test
  void notice_namesEveryBundledLibrary() throws Exception {
    unpack(".tar.gz");
    String notice = Files.readString(home.resolve("NOTICE"));

    try (Stream<Path> jars = Files.find(home.resolve("lib"), 2, (path, is) -> is.isRegularFile())) {
      for (Path jar : jars.filter(path -> path.getNameCount() > home.getNameCount() + 2).toList()) {
        String name = jar.getFileName().toString().replaceFirst("(-\\d.*)?\\.jar$", "");
        assertThat(notice).contains(name);
      }
    }
    try (JarFile jar = new JarFile(home.resolve("lib/ralph.jar").toFile())) {
      List<String> packages =
          jar.stream()
              .map(JarEntry::getName)
              .filter(name -> name.endsWith(".class") && !name.startsWith("META-INF/"))
              .map(name -> name.replaceFirst("^((?:[^/]+/){1,2}).*", "$1"))
              .distinct()
              .sorted()
              .toList();
      assertThat(packages)
          .as("libraries in the notice: Jackson, Commons CLI, SnakeYAML Engine and Ralph's own")
          .containsExactly("com/fasterxml/", "dev/ralph/", "org/apache/", "org/snakeyaml/");
    }
    assertThat(home.resolve("LICENSE")).hasSameTextualContentAs(Path.of("../LICENSE"));
    assertThat(home.resolve("completion/ralph.bash")).isNotEmptyFile();
    assertThat(home.resolve("CHANGELOG.md")).content().contains("\n## ");
  }
}
