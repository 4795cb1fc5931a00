package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.cli.Checkout.Exit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands of a user without the permission to read or write all files. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RightsIT {

  /** Runs a command as the user nobody, which requires root. */
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

  @TempDir static Path folder;
  private static Checkout shared;
  private static boolean superuser;
  private Checkout checkout;

  @BeforeAll
  static void makeACheckoutForEverybody() throws Exception {
    superuser = Files.getAttribute(folder, "unix:uid").equals(0);
    shared = Checkout.shared(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @BeforeEach
  void moveIn() throws Exception {
    checkout = shared.elsewhere("at " + System.nanoTime());
    Files.setPosixFilePermissions(checkout.work(), PosixFilePermissions.fromString("rwxrwxrwx"));
    Exit added = ralph("task", "add", "-n", "auth", "--create", "one");
    assertThat(added.code()).as(added.err()).isZero();
  }

  @AfterEach
  void giveTheRightsBack() throws Exception {
    shell("chmod -R u+rwX .");
  }

  private Exit ralph(String... words) throws Exception {
    List<String> command = new ArrayList<>(superuser ? AS_NOBODY : List.of());
    command.add(checkout.launcher().toString());
    command.addAll(List.of(words));
    return checkout.run(Map.of(), command.toArray(new String[0]));
  }

  private void shell(String script) throws Exception {
    Exit exit = checkout.shell(script);
    assertThat(exit.code()).as(exit.err()).isZero();
  }

  private void refuses(String explanation, String... words) throws Exception {
    Exit refused = ralph(words);
    assertThat(refused.err()).startsWith("ralph: ").contains(explanation).hasLineCount(1);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.code()).isEqualTo(1);
  }

  @Test
  void readOnlyStore_isShown() throws Exception {
    shell("chmod -R a-w .ralph");
    Exit shown = ralph("tasks", "-n", "auth");
    assertThat(shown.err()).isEmpty();
    assertThat(shown.out()).startsWith("t1 ");
    refuses(".ralph/store", "task", "add", "-n", "auth", "two");
  }

  @Test
  void readOnlyStore_endsDelivery() throws Exception {
    Exit sent = ralph("tx", "send", "brain", "--as", "core", "Hello");
    assertThat(sent.code()).as(sent.err()).isZero();
    shell("chmod -R a-w .ralph");
    refuses("cannot write to the store", "tx", "deliver", "--command", "true");
    refuses("cannot write to the store", "tx", "deliver", "--to", "brain", "--command", "true");
  }

  @Test
  void unreadableFile_isNotImported() throws Exception {
    Exit exported = ralph("export", "log.ndjson");
    assertThat(exported.code()).as(exported.err()).isZero();
    shell("chmod a-r log.ndjson");
    refuses("no permission to read", "import", "log.ndjson");
  }

  @Test
  void unreadableStore_isNotReportedAsMissing() throws Exception {
    shell("mkdir -m 0 closed");
    for (String store : List.of("closed", "closed/store")) {
      for (String kind : List.of("", "chronicle:")) {
        String address = kind + store;
        refuses("may not be read: ", "tasks", "-n", "auth", "--store", address);
        refuses(" belongs to ", "verify", "--store", address);
        refuses("may not be read: ", "task", "add", "-n", "a", "--create", "x", "--store", address);
      }
    }
    shell("chmod 0 .ralph/store/log");
    refuses("store/log may not be read: ", "tasks", "-n", "auth");
  }

  @Test
  void unreadableContent_isNamedByImport() throws Exception {
    String id = "03amo4vrpvhsutwvspbt8hhqf";
    String hash = "sha256-WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM="; // of "hello" and a newline
    checkout.file("frames", "{\"topic\":\"a\",\"id\":\"" + id + "\",\"hash\":\"" + hash + "\"}\n");
    String folder = "cas/content-v2/sha256/58/91";
    String name = "b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
    shell("mkdir -p " + folder + " && echo hello >" + folder + "/" + name);
    shell("chmod 0 " + folder + "/" + name);
    refuses(name + " may not be read", "import", "frames", "--cas", "cas");
    shell("chmod 0 " + folder);
    refuses(name + " may not be read", "import", "frames", "--cas", "cas");
    shell("chmod 755 " + folder + " && chmod 644 " + folder + "/" + name);
    assertThat(ralph("import", "frames", "--cas", "cas").code()).isZero();
  }

  /**
   * Any user may create a store in a shared folder such as /tmp, above the folders of other users.
   */
  @Test
  void parentStoreOfForeignUser_isIgnored() throws Exception {
    shell("mkdir -m 777 sub");
    if (superuser) {
      shell("chown 65534 sub");
    }
    String inSub = "cd sub && exec " + (superuser ? String.join(" ", AS_NOBODY) + " " : "");
    Exit own = checkout.shell(inSub + "\"$RALPH\" tasks -n auth");
    assertThat(own.out()).as(own.err()).startsWith("t1 ");

    if (superuser) { // only root can change the owner of a file
      shell("chown -R 65533 .ralph && chmod -R a+rwX .ralph");
      Exit refused = checkout.shell(inSub + "\"$RALPH\" tasks -n auth");
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err())
          .contains(".ralph/store' belongs to another user", "--store")
          .hasLineCount(1);
      Exit named = checkout.shell(inSub + "\"$RALPH\" tasks -n auth --store ../.ralph/store");
      assertThat(named.out()).as(named.err()).startsWith("t1 ");
      Exit made = checkout.shell(inSub + "\"$RALPH\" task add -n auth two");
      assertThat(made.err())
          .startsWith("ralph: created the store ")
          .contains("belongs to another user");
    }
  }

  /**
   * Mail uses the store beside the repository's {@code .git}, which another user may have created.
   */
  @Test
  void mail_avoidsStoreOfForeignUser() throws Exception {
    assumeTrue(superuser, "nobody else can give a file away");
    shell("mkdir sub && chown 65534 sub && git init -q . && chmod -R a+rwX .ralph");
    shell("chown -R 65533 .ralph .git");

    Exit sent =
        checkout.shell(
            "cd sub && exec "
                + String.join(" ", AS_NOBODY)
                + " \"$RALPH\" mail send bob --as ann secret");

    assertThat(sent.code()).as(sent.err()).isZero();
    assertThat(sent.err()).contains("sub/.ralph/store", ".ralph/store' belongs to another user");
    assertThat(checkout.shell("exec grep -r secret .ralph").out()).isEmpty();
  }

  @Test
  void readOnlyFolder_refusesExport() throws Exception {
    shell("mkdir -m 555 fixed");
    refuses("fixed' is not writable", "export", "fixed/log.ndjson");
  }
}
