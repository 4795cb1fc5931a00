package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.cli.Checkout.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher uses archives of trusted owners only, because an archive contains code. The virtual
 * machine is a script that prints whether it received an archive.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LauncherCacheIT {

  private static final int NOBODY = 65_534;
  private static final int SOMEBODY = 65_533;

  @TempDir Path folder;
  private Checkout checkout;
  private Path home;
  private Path jar;
  private Path all;
  private Path archive;

  @BeforeEach
  void makeACheckoutAndAMachine() throws Exception {
    rights(folder, "rwxr-xr-x");
    checkout = Checkout.in(folder);
    home = Files.createDirectories(folder.resolve("a jdk/bin")).getParent();
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    Path java =
        Files.writeString(
            home.resolve("bin/java"),
            """
            #!/bin/sh
            for word in "$@"; do
              case $word in
                -XX:ArchiveClassesAtExit=*) echo code >"${word#*=}" ;;
              esac
            done
            case "$*" in
              *-XX:SharedArchiveFile=*) echo with ;;
              *) echo without ;;
            esac
            """);
    rights(java, "rwxr-xr-x");
    Path cache = Files.createDirectory(checkout.cache());
    jar = checkout.root().resolve("target/launcher/lib/ralph.jar");
    all = cache.resolve("ralph");
    archive = cache.resolve("ralph/17.0.1" + home + jar + ".jsa");
  }

  @AfterEach
  void nothingMakesArchivesAnyMore() throws Exception {
    checkout.endMakers();
  }

  private static void rights(Path path, String rights) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
  }

  private static void give(Path path, int user) throws IOException {
    Files.setAttribute(path, "unix:uid", user);
  }

  /** Runs the launcher, and returns whether it used the archive. */
  private boolean takesIt(String... as) throws Exception {
    List<String> command = new ArrayList<>(List.of(as));
    command.add(checkout.launcher().toString());
    Exit exit = checkout.run(Map.of("JAVA_HOME", home.toString()), command.toArray(new String[0]));
    assertThat(exit.err()).isEmpty();
    assertThat(exit.out()).isIn("with\n", "without\n");
    return exit.out().equals("with\n");
  }

  private void makeArchives() throws Exception {
    assertThat(takesIt()).isFalse();
    checkout.awaitMakers();
    assertThat(archive).hasContent("code");
  }

  private static boolean isRoot(Path made) throws IOException {
    return Files.getAttribute(made, "unix:uid").equals(0);
  }

  @Test
  void archiveOfCaller_isUsed() throws Exception {
    makeArchives();

    assertThat(takesIt()).isTrue();
  }

  @Test
  void openUmask_archiveFoldersStayPrivate() throws Exception {
    Files.createDirectory(all);
    rights(all, "rwxrwxrwx");
    checkout.run(
        Map.of("JAVA_HOME", home.toString()),
        "sh",
        "-c",
        "umask 0; mkdir -p \"$1\"; exec \"$RALPH\"",
        "sh",
        archive.getParent().toString());
    checkout.awaitMakers();

    for (Path at = archive; !at.equals(all.getParent()); at = at.getParent()) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(at)))
          .as(at.toString())
          .matches("....-..-.");
    }
  }

  @Test
  void archiveOfForeignUser_isNotUsed() throws Exception {
    makeArchives();
    assumeTrue(isRoot(archive));
    give(archive, SOMEBODY);

    assertThat(takesIt()).isFalse();
  }

  @Test
  void cacheOfForeignUser_isNeitherReadNorWritten() throws Exception {
    makeArchives();
    assumeTrue(isRoot(archive));
    give(all, SOMEBODY);
    assertThat(takesIt()).isFalse();

    Files.delete(archive);
    assertThat(takesIt()).isFalse();
    checkout.awaitMakers();
    assertThat(archive).doesNotExist();
  }

  @Test
  void linkedCacheFolder_isNotFollowed() throws Exception {
    makeArchives();
    Path elsewhere = Files.move(all, folder.resolve("elsewhere"));
    Files.createSymbolicLink(all, elsewhere);
    assertThat(archive).exists();
    assertThat(takesIt()).isFalse();

    Files.delete(archive);
    assertThat(takesIt()).isFalse();
    checkout.awaitMakers();
    assertThat(archive).doesNotExist();
  }

  @Test
  void root_writesNothingIntoForeignCache() throws Exception {
    assumeTrue(isRoot(folder));
    give(checkout.cache(), SOMEBODY);

    assertThat(takesIt()).isFalse();
    checkout.awaitMakers();

    assertThat(all).doesNotExist();
  }

  /** The owner of the program has the same power over the caller as an archive. */
  @Test
  void archiveOfJarOwner_isUsedOnlyIfProtected() throws Exception {
    makeArchives();
    assumeTrue(isRoot(archive));
    String[] asNobody = {
      "setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--"
    };
    rights(checkout.work(), "rwxrwxrwx");
    assertThat(takesIt(asNobody)).isTrue();

    rights(archive, "rw-rw-r--");
    assertThat(takesIt(asNobody)).isFalse();
    rights(archive, "rw-r--r--");
    rights(all, "rwxr-xrwx");
    assertThat(takesIt(asNobody)).isFalse();
    rights(all, "rwxr-xr-x");
    give(archive, SOMEBODY);
    assertThat(takesIt(asNobody)).isFalse();
    give(archive, 0);
    give(jar, SOMEBODY);
    Files.setLastModifiedTime(archive, FileTime.from(Instant.now().plusSeconds(5)));
    assertThat(takesIt(asNobody)).isFalse();
  }

  private Path write(Path jdk, Path jar, String end) throws IOException {
    Path made = Path.of(all + "/17.0.1" + jdk + jar + end);
    Files.createDirectories(made.getParent());
    return Files.writeString(made, "code");
  }

  @Test
  void archivesOfDeletedCheckoutsAndJdks_areRemoved() throws Exception {
    makeArchives();
    Path gone = folder.resolve("it's\na gone \"checkout\"/target/launcher/lib/ralph.jar");
    Path other = folder.resolve("another checkout/lib/ralph.jar");
    Files.createDirectories(other.getParent());
    Files.writeString(other, "");
    Path kept = write(home, other, ".mcp.jsa");
    Path archiveOfGone = write(home, gone, ".jsa");
    Path cacheOfGone = write(home, gone, ".chronicle.mail.aot");
    Path cut = write(home, gone, ".jsa.4711");
    Path work =
        Files.createDirectories(Path.of(all + "/17.0.1" + home + gone + ".aot.4711.work/a"));
    Path lock = Files.createDirectories(Path.of(all + "/17.0.1" + home + gone + ".aot.lock"));
    Path ofGoneJdk = write(folder.resolve("gone jdk"), other, ".jsa");
    Path foreign = Files.writeString(all.resolve("17.0.1/notes.txt"), "not an archive");

    Files.delete(archive);
    assertThat(takesIt()).isFalse();
    checkout.awaitMakers();

    assertThat(archive).hasContent("code");
    assertThat(kept).exists();
    assertThat(foreign).exists();
    for (Path removed : List.of(archiveOfGone, cacheOfGone, cut, work, lock, ofGoneJdk)) {
      assertThat(removed).doesNotExist();
    }
    assertThat(archiveOfGone.getParent()).doesNotExist();
    assertThat(takesIt()).isTrue();
  }
}
