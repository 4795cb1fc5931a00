package dev.ralph.core.sabotage;

import static dev.ralph.core.sabotage.Mode.HOST;
import static dev.ralph.core.sabotage.Mode.WORKTREE;
import static dev.ralph.core.sabotage.Row.row;

import dev.ralph.StopReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The rows of {@link SabotageTest}. */
final class SabotageTable {

  static final List<Row> ROWS = new ArrayList<>();

  static {
    ROWS.addAll(unreported());
    ROWS.addAll(configuration());
    ROWS.addAll(nested());
    ROWS.addAll(branches());
    ROWS.addAll(usersFiles());
    ROWS.addAll(repositories());
    ROWS.addAll(odd());
    ROWS.addAll(further());
  }

  private SabotageTable() {}

  private static void config(Actor actor, String... pairs) throws Exception {
    for (int i = 0; i < pairs.length; i += 2) {
      actor.git("config", pairs[i], pairs[i + 1]);
    }
  }

  /** Changes that git does not report, or reports only with some configurations. */
  private static List<Row> unreported() {
    return List.of(
        row("nothing unusual")
            .agent(a -> a.write("new.txt").append("src/a.txt"))
            .merged("new.txt", "task2.txt")
            .onMain("new.txt", "task2.txt")
            .ends(StopReason.COMPLETED)
            .discards(),
        row("agent changes nothing").ends(StopReason.COMPLETED).discards(),
        row("untracked files are not shown")
            .settings(u -> config(u, "status.showUntrackedFiles", "no"))
            .agent(a -> a.write("new.txt"))
            .merged("new.txt")
            .discards(),
        row("agent stops showing untracked files")
            .agent(a -> config(a.write("new.txt"), "status.showUntrackedFiles", "no"))
            .merged("new.txt"),
        row(".gitignore with a star").agent(a -> a.write("new.txt").raw(".gitignore", "*\n")),
        row("virtual environment that ignores itself")
            .agent(a -> a.write("venv/lib/x.py").raw("venv/.gitignore", "*\n").append("src/a.txt")),
        row("virtual environment and nothing else")
            .agent(a -> a.write("venv/lib/x.py").raw("venv/.gitignore", "*\n")),
        row("nested .gitignore")
            .agent(a -> a.write("src/x.gen").write("src/y.gen").raw("src/.gitignore", "*.gen\n")),
        row("rule in info/exclude")
            .agent(
                a -> {
                  Path exclude =
                      a.folder().resolve(a.git("rev-parse", "--git-path", "info/exclude"));
                  Files.createDirectories(exclude.getParent());
                  Files.writeString(exclude, "*\n");
                  a.write("new.txt");
                }),
        row("excludesFile set by the agent")
            .agent(
                a -> {
                  Path rules = Files.writeString(a.scene().base().resolve("rules"), "*\n");
                  config(a.write("new.txt"), "core.excludesFile", rules.toString());
                }),
        row("excludesFile of the user")
            .settings(
                u -> {
                  Path rules = Files.writeString(u.scene().base().resolve("rules"), "*.cache\n");
                  config(u, "core.excludesFile", rules.toString());
                })
            .agent(a -> a.writeIgnored("x.cache").write("new.txt"))
            .merged("new.txt")
            .discards(),
        row("info/exclude of the user")
            .settings(
                u -> {
                  Path exclude =
                      u.folder().resolve(u.git("rev-parse", "--git-path", "info/exclude"));
                  Files.createDirectories(exclude.getParent());
                  Files.writeString(exclude, "*.cache\n");
                })
            .agent(a -> a.writeIgnored("x.cache").write("new.txt"))
            .merged("new.txt"),
        row("files that the base ignores")
            .agent(a -> a.writeIgnored("build/x.bin").writeIgnored("run.log").write("new.txt"))
            .merged("new.txt")
            .discards(),
        row("rule removed and file committed")
            .agent(a -> a.raw(".gitignore", "build/\n").write("run.log"))
            .merged("run.log")
            .discards(),
        row("ignored file added by force")
            .agent(a -> a.write("run.log").git("add", "--force", "run.log")),
        row("skip-worktree and an edit")
            .agent(a -> a.append("README.md").git("update-index", "--skip-worktree", "README.md")),
        row("assume-unchanged and an edit")
            .agent(
                a -> a.append("README.md").git("update-index", "--assume-unchanged", "README.md")),
        row("skip-worktree and a deletion")
            .agent(
                a -> {
                  a.git("update-index", "--skip-worktree", "src/a.txt");
                  a.delete("src/a.txt").append("src/b.txt");
                }),
        row("ignoreStat")
            .settings(u -> config(u, "core.ignoreStat", "true"))
            .agent(
                a -> {
                  a.git("update-index", "--really-refresh");
                  a.git("add", "README.md");
                  a.git("update-index", "--assume-unchanged", "README.md");
                  a.append("README.md");
                }),
        row("edit of the same size and time")
            .settings(u -> config(u, "core.trustctime", "false", "core.checkStat", "minimal"))
            .agent(
                a -> {
                  var time = Files.getLastModifiedTime(a.path("src/a.txt"));
                  a.tryGit("update-index", "--refresh");
                  a.raw("src/a.txt", "z\n");
                  Files.setLastModifiedTime(a.path("src/a.txt"), time);
                }),
        row("file system monitor that lies")
            .agent(
                a -> {
                  a.script("lie.sh", "#!/bin/sh\nprintf 'token\\0'\n");
                  config(a, "core.fsmonitor", a.path("lie.sh").toString());
                  a.tryGit("status");
                  a.append("README.md").write("new.txt");
                }),
        row("intent to add")
            .agent(a -> a.write("new.txt").git("add", "--intent-to-add", "new.txt")),
        row("removed from the index only")
            .agent(a -> a.append("src/a.txt").git("rm", "--quiet", "--cached", "src/a.txt")),
        row("staged and edited again")
            .agent(
                a -> {
                  a.write("new.txt").git("add", "new.txt");
                  a.append("new.txt");
                }),
        row("sparse checkout by the agent")
            .agent(
                a -> {
                  a.git("sparse-checkout", "set", "src");
                  a.write("docs/new.md").write("src/new.txt");
                }),
        row("index deleted")
            .agent(
                a -> {
                  a.write("new.txt");
                  Files.delete(a.folder().resolve(a.git("rev-parse", "--git-path", "index")));
                }),
        row("index that is no index")
            .agent(
                a -> {
                  a.write("new.txt");
                  Path index = a.folder().resolve(a.git("rev-parse", "--git-path", "index"));
                  Files.writeString(index, "no index");
                }));
  }

  /** Configuration of the user or the agent. */
  private static List<Row> configuration() {
    return List.of(
        row("core.bare by the agent").agent(a -> config(a.write("new.txt"), "core.bare", "true")),
        row("core.worktree by the agent")
            .agent(a -> config(a.write("new.txt"), "core.worktree", a.path("src").toString())),
        row("core.hooksPath by the agent")
            .agent(
                a -> {
                  a.script("hooks/pre-commit", "#!/bin/sh\nexit 1\n");
                  config(a, "core.hooksPath", a.path("hooks").toString());
                }),
        row("hook added by the agent")
            .agent(
                a -> {
                  Path hook =
                      a.folder().resolve(a.git("rev-parse", "--git-path", "hooks/pre-commit"));
                  Files.createDirectories(hook.getParent());
                  a.script(hook.toString(), "#!/bin/sh\nexit 1\n").write("new.txt");
                }),
        row("extensions.worktreeConfig by the agent")
            .agent(
                a -> {
                  a.write("new.txt");
                  a.tryGit("config", "extensions.worktreeConfig", "true");
                  a.tryGit("config", "--worktree", "core.bare", "true");
                }),
        row("unknown extension by the agent")
            .agent(
                a -> {
                  a.write("new.txt");
                  config(a, "core.repositoryFormatVersion", "1", "extensions.nobodyKnows", "1");
                }),
        row("user's name and filters by the agent")
            .agent(
                a ->
                    config(
                        a.write("new.txt"),
                        "user.name",
                        "Nobody",
                        "alias.status",
                        "!false",
                        "core.editor",
                        "false")),
        row("replaced base commit")
            .agent(
                a -> {
                  a.write("new.txt");
                  String tree = a.git("write-tree");
                  String other = a.git("commit-tree", tree, "-m", "other");
                  a.git("replace", "-f", "HEAD", other);
                }),
        row("replaced file")
            .agent(
                a -> {
                  String own = a.append("src/a.txt").git("hash-object", "-w", "src/a.txt");
                  a.git("replace", "-f", "HEAD:src/a.txt", own);
                }),
        row("grafted base commit")
            .agent(
                a -> {
                  a.write("new.txt").commit("own");
                  Path common = a.folder().resolve(a.git("rev-parse", "--git-common-dir"));
                  Files.createDirectories(common.resolve("info"));
                  Files.writeString(
                      common.resolve("info/grafts"), a.git("rev-parse", "HEAD") + "\n");
                }),
        row("signatures are verified")
            .prepare(u -> config(u, "merge.verifySignatures", "true"))
            .settings(u -> config(u, "merge.verifySignatures", "true"))
            .agent(a -> a.write("new.txt"))
            .onMain("new.txt"),
        row("merge options of the branch")
            .prepare(u -> config(u, "branch.main.mergeOptions", "--squash"))
            .agent(a -> a.write("new.txt")),
        row("merges without fast-forward")
            .prepare(u -> config(u, "merge.ff", "false"))
            .settings(u -> config(u, "merge.ff", "false", "pull.rebase", "true"))
            .agent(a -> a.write("new.txt"))
            .onMain("new.txt"),
        row("forms of output")
            .settings(
                u ->
                    config(
                        u,
                        "color.ui",
                        "always",
                        "column.ui",
                        "always",
                        "status.short",
                        "true",
                        "status.branch",
                        "true",
                        "log.decorate",
                        "full",
                        "format.pretty",
                        "raw",
                        "core.abbrev",
                        "7",
                        "core.quotePath",
                        "false",
                        "diff.noprefix",
                        "true",
                        "diff.renames",
                        "copies",
                        "status.relativePaths",
                        "true",
                        "log.showSignature",
                        "true",
                        "diff.external",
                        "false"))
            .agent(a -> a.write("néw.txt").append("src/a.txt"))
            .merged("néw.txt"),
        row("autocrlf")
            .settings(u -> config(u, "core.autocrlf", "true"))
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("line ends are refused")
            .settings(u -> config(u, "core.autocrlf", "input", "core.safecrlf", "true"))
            .agent(a -> a.raw("dos.txt", "one\r\ntwo " + a.unique("dos.txt"))),
        row("modes of files do not count")
            .settings(u -> config(u, "core.fileMode", "false"))
            .agent(a -> a.script("run.sh", "#!/bin/sh\n" + "# " + a.unique("run.sh")))
            .merged("run.sh"),
        row("whitespace is an error")
            .settings(
                u -> config(u, "apply.whitespace", "error", "core.whitespace", "tab-in-indent"))
            .agent(a -> a.raw("tab.txt", "\t \t" + a.unique("tab.txt") + "   \n"))
            .merged("tab.txt"),
        row("signing without a key")
            .settings(u -> config(u, "commit.gpgSign", "true", "gpg.program", "/nowhere/gpg"))
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("hooks folder that does not exist")
            .settings(u -> config(u, "core.hooksPath", ".husky/_"))
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("commit-msg refuses every message")
            .settings(u -> hook(u, "commit-msg", "echo 'type: subject' >&2; exit 1"))
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("pre-commit refuses")
            .settings(u -> hook(u, "pre-commit", "echo 'not formatted' >&2; exit 1"))
            .agent(a -> a.write("new.txt")),
        row("pre-commit reads from the terminal")
            .settings(u -> hook(u, "pre-commit", "read answer </dev/tty || true"))
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("pre-commit formats what is staged")
            .settings(
                u -> hook(u, "pre-commit", "echo formatted >formatted.txt; git add formatted.txt"))
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("reference transactions are refused")
            .settings(
                u ->
                    hook(
                        u,
                        "reference-transaction",
                        "cat >/dev/null; echo 'no references' >&2; exit 1"))
            .agent(a -> a.write("new.txt")));
  }

  private static void hook(Actor actor, String name, String script) throws Exception {
    Path hook = actor.folder().resolve(actor.git("rev-parse", "--git-path", "hooks/" + name));
    Files.createDirectories(hook.getParent());
    Files.writeString(hook, "#!/bin/sh\n" + script + "\n");
    hook.toFile().setExecutable(true);
  }

  /** Repositories within the work tree. */
  private static List<Row> nested() {
    return List.of(
        row("git init in a folder, with commits")
            .agent(
                a -> {
                  init(a.in("lib").write("x.txt"));
                  a.in("lib").commit("own").write("y.txt");
                }),
        row("git init in a folder, without commits").agent(a -> init(a.in("lib").write("x.txt"))),
        row("git init in a folder of the base").agent(a -> init(a.in("src").append("a.txt"))),
        row("git init in an ignored folder")
            .agent(
                a -> {
                  a.writeIgnored("build/lib/x.txt");
                  init(a.in("build/lib"));
                  a.in("build/lib").commit("own");
                }),
        row("link to a repository committed")
            .agent(
                a -> {
                  init(a.in("lib").write("x.txt"));
                  a.in("lib").commit("own");
                  a.git("add", "lib");
                  a.git("commit", "--quiet", "-m", "link");
                }),
        row("link to a commit that is nowhere")
            .agent(
                a -> {
                  String id = "1234567890123456789012345678901234567890";
                  a.write("new.txt")
                      .git("update-index", "--add", "--cacheinfo", "160000," + id + ",lib");
                }),
        row("clone in a folder")
            .agent(
                a -> {
                  a.git("clone", "--quiet", a.scene().repository().toString(), "lib");
                  a.in("lib").write("x.txt");
                }),
        row("bare repository in a folder")
            .agent(
                a -> {
                  a.git("init", "--quiet", "--bare", "lib.git");
                  a.write("new.txt");
                }),
        row("work tree in a folder")
            .agent(
                a -> {
                  a.git("worktree", "add", "--quiet", "-b", "other", "lib");
                  a.in("lib").write("x.txt").commit("own").write("y.txt");
                }),
        submodule("commit in a submodule")
            .agent(
                a -> {
                  fill(a);
                  a.in("sub").write("x.txt").commit("own");
                }),
        submodule("two commits in a submodule, one committed above")
            .agent(
                a -> {
                  fill(a);
                  a.in("sub").write("x.txt").commit("own");
                  a.commit("above");
                  a.in("sub").write("y.txt").commit("more");
                }),
        submodule("uncommitted changes in a submodule")
            .agent(
                a -> {
                  fill(a);
                  a.in("sub").write("x.txt").append("sub.txt");
                  a.write("new.txt");
                }),
        submodule("submodules are ignored")
            .settings(u -> config(u, "diff.ignoreSubmodules", "all", "submodule.sub.ignore", "all"))
            .agent(
                a -> {
                  fill(a);
                  a.in("sub").write("x.txt").commit("own").write("y.txt");
                }),
        submodule("submodules are ignored by .gitmodules")
            .agent(
                a -> {
                  fill(a);
                  a.git("config", "--file", ".gitmodules", "submodule.sub.ignore", "all");
                  a.in("sub").write("x.txt").commit("own").write("y.txt");
                }),
        submodule("files in an empty submodule folder").agent(a -> a.in("sub").write("x.txt")),
        submodule("commit in a submodule that the user has not filled")
            .prepare(
                u -> {
                  addSubmodule(u);
                  u.git("submodule", "--quiet", "deinit", "--force", "sub");
                  u.delete(".git/modules");
                })
            .agent(
                a -> {
                  fill(a);
                  a.in("sub").write("x.txt").commit("own");
                }),
        submodule("submodule removed")
            .agent(
                a -> {
                  fill(a);
                  a.in("sub").write("x.txt").commit("own");
                  a.git("rm", "--quiet", "--force", "sub");
                }),
        row("submodule added")
            .agent(
                a -> {
                  Path origin = origin(a);
                  a.git(
                      "-c",
                      "protocol.file.allow=always",
                      "submodule",
                      "--quiet",
                      "add",
                      origin + "",
                      "sub");
                  a.in("sub").write("x.txt").commit("own");
                }));
  }

  private static void init(Actor actor) throws Exception {
    actor.git("init", "--quiet", "--template=", "-b", "main");
    config(actor, "user.name", "Agent", "user.email", "agent@example.org");
  }

  private static Path origin(Actor actor) throws Exception {
    Path origin = Files.createDirectories(actor.scene().base().resolve("origin"));
    Files.writeString(origin.resolve("sub.txt"), "sub\n");
    Actor there = actor.in(origin.toString());
    init(there);
    there.commit("first");
    return origin;
  }

  private static void addSubmodule(Actor user) throws Exception {
    Path origin = origin(user);
    user.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin + "", "sub");
    user.git("commit", "--quiet", "-m", "Add a submodule");
  }

  private static Row submodule(String name) {
    return row(name).prepare(SabotageTable::addSubmodule);
  }

  private static void fill(Actor agent) throws Exception {
    agent.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
    config(agent.in("sub"), "user.name", "Agent", "user.email", "agent@example.org");
  }

  /** Branches, stashes and other uses of git by an agent. */
  private static List<Row> branches() {
    return List.of(
        row("commits of the agent")
            .agent(
                a ->
                    a.write("one.txt")
                        .commit("one")
                        .write("two.txt")
                        .commit("two")
                        .write("new.txt"))
            .merged("one.txt", "two.txt", "new.txt")
            .discards(),
        row("commit on another branch")
            .agent(
                a -> {
                  String own = a.git("branch", "--show-current");
                  a.git("checkout", "--quiet", "-b", "feature");
                  a.write("new.txt").commit("own");
                  a.git("checkout", "--quiet", own);
                }),
        row("left on another branch")
            .agent(
                a -> {
                  a.git("checkout", "--quiet", "-b", "feature");
                  a.write("new.txt").commit("own").write("more.txt");
                }),
        row("commit on a detached HEAD")
            .agent(
                a -> {
                  String own = a.git("branch", "--show-current");
                  a.git("checkout", "--quiet", "--detach");
                  a.write("new.txt").commit("own");
                  a.git("checkout", "--quiet", own);
                }),
        row("left on a detached HEAD")
            .agent(
                a -> {
                  a.git("checkout", "--quiet", "--detach");
                  a.write("new.txt").commit("own").write("more.txt");
                }),
        row("left on an orphan branch")
            .agent(
                a -> {
                  a.git("checkout", "--quiet", "--orphan", "new-root");
                  a.write("new.txt").commit("own").write("more.txt");
                }),
        row("own branch renamed")
            .agent(
                a ->
                    a.write("new.txt").commit("own").write("more.txt").git("branch", "-m", "mine")),
        row("own branch deleted")
            .agent(
                a -> {
                  String own = a.git("branch", "--show-current");
                  a.write("new.txt").commit("own");
                  a.git("checkout", "--quiet", "--detach");
                  a.git("branch", "--quiet", "-D", own);
                  a.write("more.txt");
                }),
        row("own branch moved back")
            .agent(
                a -> {
                  a.write("new.txt").commit("own").write("more.txt");
                  a.git("reset", "--quiet", "--soft", "HEAD^");
                }),
        row("session's branch moved by the agent")
            .agent(
                a -> {
                  a.write("new.txt").commit("own");
                  a.git("update-ref", "refs/heads/ralph/s", "HEAD");
                }),
        row("user's branch moved by the agent")
            .agent(
                a -> {
                  a.write("new.txt").commit("own");
                  a.git("update-ref", "refs/heads/main", "HEAD");
                }),
        row("user's branch pushed to")
            .agent(
                a -> {
                  a.write("new.txt").commit("own");
                  String user = a.scene().repository().toString();
                  a.tryGit("push", "--quiet", "--force", user, "HEAD:refs/heads/main");
                })
            .merged("new.txt"),
        row("all references of Ralph deleted")
            .agent(
                a -> {
                  a.write("new.txt").commit("own");
                  for (String ref :
                      a.git("for-each-ref", "--format=%(refname)", "refs/ralph").lines().toList()) {
                    a.git("update-ref", "-d", ref);
                  }
                }),
        row("tag of the agent").agent(a -> a.write("new.txt").commit("own").git("tag", "v1")),
        row("stash")
            .agent(a -> a.append("src/a.txt").git("stash", "push", "--quiet", "-m", "later")),
        row("stash with untracked files")
            .agent(
                a -> a.write("new.txt").append("src/a.txt").git("stash", "push", "--quiet", "-u")),
        row("user's stash dropped")
            .agent(
                a -> {
                  a.write("new.txt");
                  a.tryGit("stash", "pop", "--quiet");
                }),
        row("user stashes meanwhile")
            .agent(a -> a.write("new.txt"))
            .meanwhile(u -> u.append("src/b.txt").git("stash", "push", "--quiet", "-m", "mine")),
        row("merge in progress")
            .agent(
                a -> {
                  a.tryGit("merge", "--quiet", conflict(a)).write("new.txt");
                }),
        row("merge with its conflict committed")
            .agent(
                a -> {
                  a.tryGit("merge", "--quiet", conflict(a)).write("new.txt").commit("marks");
                }),
        row("rebase in progress")
            .agent(
                a -> {
                  a.tryGit("rebase", "--quiet", conflict(a)).write("new.txt");
                }),
        row("cherry-pick in progress")
            .agent(
                a -> {
                  a.tryGit("cherry-pick", conflict(a)).write("new.txt");
                }),
        row("revert in progress")
            .agent(
                a -> {
                  a.append("src/a.txt").commit("one").append("src/a.txt").commit("two");
                  a.tryGit("revert", "HEAD^").write("new.txt");
                }),
        row("bisect in progress").agent(a -> a.write("new.txt").git("bisect", "start", "HEAD")),
        row("work tree added outside")
            .agent(
                a -> {
                  Path other = a.scene().base().resolve("other");
                  a.git("worktree", "add", "--quiet", "-b", "other", other.toString());
                  a.in(other.toString()).write("x.txt").commit("own").write("y.txt");
                  a.write("new.txt");
                }),
        row("own work tree removed by force")
            .agent(
                a -> {
                  a.write("new.txt").commit("own");
                  a.tryGit("worktree", "remove", "--force", "--force", a.folder().toString());
                }),
        row("own work tree locked")
            .agent(a -> a.write("new.txt").tryGit("worktree", "lock", a.folder().toString())),
        row("own work tree moved")
            .agent(
                a -> {
                  Path other = a.scene().base().resolve("moved");
                  a.write("new.txt").tryGit("worktree", "move", a.folder().toString(), other + "");
                }),
        row("own folder moved away")
            .agent(
                a -> {
                  a.write("new.txt");
                  Files.move(a.folder(), a.scene().base().resolve("moved"));
                }),
        row("own folder deleted after commits on no branch")
            .agent(
                a -> {
                  a.git("checkout", "--quiet", "--detach");
                  a.write("one.txt").commit("own").git("checkout", "--quiet", "HEAD^");
                  a.write("two.txt").commit("own");
                  Scene.deleteTree(a.folder());
                })
            .not(WORKTREE), // another agent creates the folder anew; see DeletedTreeTest
        row("own folder deleted with staged files")
            .agent(
                a -> {
                  a.write("one.txt").commit("own").write("two.txt").git("add", "two.txt");
                  Scene.deleteTree(a.folder());
                })
            .not(WORKTREE), // another agent creates the folder anew; see DeletedTreeTest
        row("own folder deleted, and its last commits undone")
            .agent(
                a -> {
                  a.write("one.txt").commit("own");
                  a.git("checkout", "--quiet", "-b", "gone");
                  a.write("two.txt").commit("own");
                  a.git("checkout", "--quiet", "--detach");
                  a.git("branch", "--quiet", "-D", "gone");
                  Scene.deleteTree(a.folder());
                }),
        row("own folder emptied")
            .agent(
                a -> {
                  Files.writeString(a.path("new.txt"), "deleted below\n");
                  a.commit("own").shell("rm -rf ./* ./.[!.]*");
                }),
        row("garbage collected at once")
            .agent(
                a -> {
                  a.write("new.txt").commit("own").append("new.txt").commit("more");
                  a.git("reflog", "expire", "--expire=now", "--all");
                  a.git("gc", "--quiet", "--prune=now");
                })
            .merged("new.txt"),
        row("git clean of everything")
            .agent(a -> a.write("new.txt").commit("own").git("clean", "-fdxq"))
            .merged("new.txt"),
        row(".git deleted")
            .agent(a -> a.write("new.txt").commit("own").write("more.txt").delete(".git")),
        row(".git moved")
            .agent(
                a -> {
                  a.write("new.txt").commit("own").write("more.txt");
                  Files.move(a.path(".git"), a.path("git-moved"));
                }),
        row(".git replaced by a repository")
            .agent(
                a -> {
                  a.write("new.txt").commit("own").write("more.txt").delete(".git");
                  init(a);
                }),
        row(".git replaced by a repository with commits")
            .agent(
                a -> {
                  a.write("new.txt").delete(".git");
                  init(a);
                  a.commit("own");
                }),
        row(".git replaced by a folder without a repository")
            .agent(a -> a.write("new.txt").delete(".git").write(".git/x.txt")),
        row(".git leads elsewhere")
            .agent(
                a -> {
                  a.write("new.txt");
                  Actor other = a.in(a.scene().base().resolve("elsewhere").toString());
                  init(other);
                  Files.writeString(a.path(".git"), "gitdir: " + other.path(".git") + "\n");
                }),
        row("left-over lock of the index").agent(a -> lock(a.write("new.txt"), "index.lock")),
        row("left-over lock of HEAD")
            .agent(a -> lock(a.write("new.txt").commit("own"), "HEAD.lock")),
        row("left-over lock of packed references")
            .agent(a -> lock(a.write("new.txt"), "packed-refs.lock")),
        row("left-over lock of the session's branch")
            .agent(a -> lock(a.write("new.txt"), "refs/heads/ralph/s.lock")),
        row("left-over lock of the configuration")
            .agent(a -> lock(a.write("new.txt"), "config.lock")));
  }

  private static void lock(Actor actor, String file) throws Exception {
    Path lock = actor.folder().resolve(actor.git("rev-parse", "--git-path", file));
    Files.createDirectories(lock.getParent());
    Files.createFile(lock);
  }

  /** Returns a commit without a branch that conflicts with the newest commit. */
  private static String conflict(Actor agent) throws Exception {
    String side =
        agent.shell(
            """
            export GIT_INDEX_FILE="$(git rev-parse --git-dir)/side"
            git read-tree HEAD
            blob=$(echo side | git hash-object -w --stdin)
            git update-index --cacheinfo "100644,$blob,src/a.txt"
            git commit-tree "$(git write-tree)" -p HEAD -m side
            """);
    agent.append("src/a.txt").commit("own");
    return side;
  }

  /** Files of the user that a merge into the user's branch could replace. */
  private static List<Row> usersFiles() {
    return List.of(
        row("ignored file replaced")
            .agent(a -> a.raw(".gitignore", "build/\n*.log\n").write("config.local").commit("own"))
            .says("config.local"),
        row("ignored file with the same content")
            .prepare(u -> u.raw("same.log", "the same\n"))
            .agent(a -> a.raw(".gitignore", "build/\n").raw("same.log", "the same\n").commit("own"))
            .onMain("same.log"),
        row("ignored file replaced by a folder")
            .agent(a -> a.raw(".gitignore", "build/\n").write("config.local/x.txt").commit("own"))
            .says("config.local"),
        row("ignored folder replaced by a file")
            .prepare(u -> u.write("build/token"))
            .agent(a -> a.raw(".gitignore", "config.local\n").write("build").commit("own"))
            .says("build"),
        row("folder with an ignored file replaced by a file")
            .prepare(u -> u.write("docs/own.log"))
            .agent(a -> a.delete("docs").write("docs").commit("own"))
            .says("docs"),
        row("folder with an untracked file replaced by a link")
            .prepare(u -> u.write("docs/own.txt"))
            .agent(a -> a.delete("docs").link("docs", "src").commit("own")),
        row("file replaced by a folder")
            .agent(a -> a.delete("README.md").write("README.md/x.txt"))
            .merged("README.md/x.txt"),
        row("unrelated untracked file")
            .prepare(u -> u.write("notes.txt").write("more notes/x.txt"))
            .agent(a -> a.append("src/a.txt").write("new.txt"))
            .onMain("new.txt")
            .discards(),
        row("untracked file in the way")
            .prepare(u -> u.write("new.txt"))
            .agent(a -> a.write("new.txt"))
            .says("new.txt"),
        row("untracked folder in the way")
            .prepare(u -> u.write("new/x.txt"))
            .agent(a -> a.write("new")),
        row("edited file that the agent changes")
            .prepare(u -> u.append("src/a.txt"))
            .agent(a -> a.append("src/a.txt"))
            .says("src/a.txt"),
        row("edited file that the agent leaves")
            .prepare(u -> u.append("src/b.txt"))
            .agent(a -> a.append("src/a.txt")),
        row("staged file that the agent changes")
            .prepare(u -> u.append("src/a.txt").git("add", "src/a.txt"))
            .agent(a -> a.append("src/a.txt")),
        row("file that the user skips")
            .prepare(u -> u.append("src/a.txt").git("update-index", "--skip-worktree", "src/a.txt"))
            .agent(a -> a.append("src/a.txt")),
        row("file that the user assumes unchanged")
            .prepare(
                u -> u.append("src/a.txt").git("update-index", "--assume-unchanged", "src/a.txt"))
            .agent(a -> a.append("src/a.txt")),
        row("sparse checkout of the user")
            .prepare(u -> u.git("sparse-checkout", "set", "src"))
            .agent(a -> a.append("docs/guide.md").append("src/a.txt")),
        row("user edits meanwhile")
            .agent(a -> a.append("src/a.txt"))
            .meanwhile(u -> u.append("src/b.txt").write("later.txt")),
        row("file below .ralph that is tracked")
            .prepare(
                u -> {
                  u.raw(".ralph/fix_plan.md", "plan\n").git("add", "-f", ".ralph/fix_plan.md");
                  u.git("commit", "--quiet", "-m", "plan");
                })
            .agent(a -> a.append(".ralph/fix_plan.md"))
            .onMain(".ralph/fix_plan.md"),
        row("file below .ralph added by force")
            .agent(a -> a.write(".ralph/plan.md").git("add", "--force", ".ralph/plan.md")),
        row("file below .ralph committed by the agent")
            .agent(
                a -> {
                  a.write(".ralph/plan.md").git("add", "--force", ".ralph/plan.md");
                  a.git("commit", "--quiet", "-m", "own");
                }),
        row("left-over marker with a rejected commit")
            .prepare(
                u -> {
                  rejected(u);
                  u.git("update-ref", "refs/ralph/s/accepted", "ralph/s");
                })
            .agent(a -> a.write("new.txt"))
            .mayNotBegin()
            .notOnMain("rejected.txt"),
        row("branch of the user's own")
            .prepare(SabotageTable::rejected)
            .agent(a -> a.write("new.txt"))
            .mayNotBegin()
            .notOnMain("rejected.txt"));
  }

  private static void rejected(Actor user) throws Exception {
    user.git("checkout", "--quiet", "-b", "ralph/s");
    user.write("rejected.txt").git("add", "rejected.txt");
    user.git("commit", "--quiet", "-m", "rejected");
    user.git("checkout", "--quiet", "main");
  }

  /** Repositories with an unusual set-up. */
  private static List<Row> repositories() {
    return List.of(
        row("project in a subfolder")
            .subfolder("src")
            .agent(a -> a.write("new.txt"))
            .onMain("src/new.txt"),
        row("no branch checked out")
            .prepare(u -> u.git("checkout", "--quiet", "--detach"))
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("no commit yet")
            .prepare(u -> u.git("update-ref", "-d", "HEAD"))
            .agent(a -> a.write("new.txt"))
            .mayNotBegin()
            .not(HOST),
        row("shallow repository")
            .prepare(
                u -> {
                  u.raw("src/c.txt", "c\n").git("add", "src/c.txt");
                  u.git("commit", "--quiet", "-m", "second");
                  Files.writeString(u.path(".git/shallow"), u.git("rev-parse", "HEAD") + "\n");
                })
            .agent(a -> a.write("new.txt")),
        row("work tree configuration of the user")
            .prepare(
                u -> {
                  u.git("config", "extensions.worktreeConfig", "true");
                  u.git("config", "--worktree", "core.sparseCheckout", "false");
                })
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("packed references")
            .prepare(u -> u.git("pack-refs", "--all"))
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("split index")
            .settings(u -> u.git("update-index", "--split-index"))
            .agent(a -> a.write("new.txt").append("src/a.txt"))
            .merged("new.txt"),
        row("user's own repository in a folder")
            .prepare(
                u -> {
                  init(u.in("vendor").write("x.txt"));
                  u.in("vendor").commit("own");
                })
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("user's own work tree")
            .prepare(
                u -> {
                  Path other = u.scene().base().resolve("own-tree");
                  u.git("worktree", "add", "--quiet", "-b", "own", other.toString());
                  u.in(other.toString()).write("x.txt");
                })
            .agent(a -> a.write("new.txt").tryGit("worktree", "prune"))
            .merged("new.txt"),
        row("user's own work tree on a disk that is not mounted")
            .prepare(
                u -> {
                  Path other = u.scene().base().resolve("own-tree");
                  u.git("worktree", "add", "--quiet", "--detach", other.toString());
                  u.in(other.toString()).write("x.txt").commit("own");
                  Files.move(other, u.scene().base().resolve("not-mounted"));
                })
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"),
        row("merge of the user in progress")
            .prepare(
                u -> {
                  u.git("checkout", "--quiet", "-b", "side");
                  u.append("src/b.txt").git("commit", "--quiet", "-am", "side");
                  u.git("checkout", "--quiet", "main");
                  u.append("src/b.txt").git("commit", "--quiet", "-am", "own");
                  u.tryGit("merge", "--quiet", "side");
                })
            .agent(a -> a.write("new.txt"))
            .merged("new.txt"));
  }

  /** Unusual files. */
  private static List<Row> odd() {
    return List.of(
        row("odd names of files")
            .agent(
                a -> {
                  a.write("a b")
                      .write("-rf")
                      .write("line\nbreak")
                      .write("quote\"s'")
                      .write("tab\tx");
                  a.write(":(top)x")
                      .write("*")
                      .write("[a]")
                      .write("back\\slash")
                      .write("ü")
                      .write("$(x)");
                  a.write("x".repeat(200) + ".txt")
                      .write("#x")
                      .write("!x")
                      .write(" x ")
                      .write("~x");
                })
            .merged("-rf", "line\nbreak", "quote\"s'", ":(top)x", "*", "ü", "#x", " x "),
        row("name that is not UTF-8")
            .agent(a -> a.shell("printf 'content' >\"$(printf 'caf\\351')\"")),
        row("deep folders")
            .agent(a -> a.write("d/".repeat(60) + "x.txt"))
            .merged("d/".repeat(60) + "x.txt"),
        row("executable files")
            .agent(a -> a.script("run.sh", "#!/bin/sh\n# " + a.unique("run.sh")))
            .merged("run.sh")
            .discards(),
        row("empty folders")
            .agent(
                a -> {
                  Files.createDirectories(a.path("empty/more"));
                  a.write("new.txt");
                })
            .merged("new.txt"),
        row("case-only rename")
            .agent(
                a -> {
                  Files.move(a.path("README.md"), a.path("readme.md"));
                  a.append("readme.md");
                })
            .merged("readme.md"),
        row("names that differ in case")
            .settings(u -> config(u, "core.ignoreCase", "true"))
            .agent(a -> a.write("Same.txt").write("same.txt")),
        row("links")
            .agent(a -> a.link("out", "/etc/passwd").link("loop", "loop").link("up", "../../../.."))
            .merged("out", "loop", "up")
            .discards(),
        row("link in place of a folder")
            .agent(a -> a.delete("docs").link("docs", "src").write("new.txt"))
            .merged("docs", "new.txt"),
        row("folder of the tree replaced by a link to outside")
            .agent(
                a -> {
                  Path outside = Files.createDirectories(a.scene().base().resolve("outside"));
                  a.in(outside.toString()).write("x.txt");
                  a.delete("docs").link("docs", outside.toString()).write("new.txt");
                })
            .merged("new.txt"),
        row("named pipe")
            .agent(
                a -> {
                  a.shell("mkfifo pipe src/pipe");
                  a.write("new.txt");
                })
            .merged("new.txt"),
        row("large file")
            .agent(
                a -> {
                  byte[] large = new byte[12 * 1024 * 1024];
                  new java.util.Random(1).nextBytes(large);
                  a.raw("large.bin", large);
                })
            .merged("large.bin"),
        row("many files")
            .agent(
                a -> {
                  for (int i = 0; i < 600; i++) {
                    a.write("many/" + i + ".txt");
                  }
                })
            .merged("many/599.txt"),
        row("document that explains conflict markers")
            .agent(
                a ->
                    a.raw(
                        "docs/merge.md",
                        "<<<<<<< ours\none\n=======\ntwo\n>>>>>>> theirs\n" + a.unique("merge.md")))
            .merged("docs/merge.md"),
        row("files without any right")
            .agent(
                a -> {
                  a.write("closed/new.txt");
                  a.shell("chmod 000 closed/new.txt; chmod 555 closed");
                }),
        row("everything deleted").agent(a -> a.shell("rm -rf ./*")).again(a -> a.write("new.txt")),
        row("agent's .gitattributes")
            .agent(
                a ->
                    a.raw(".gitattributes", "*.txt text eol=crlf\n*.md merge=binary -diff\n")
                        .append("docs/guide.md")
                        .append("README.md")));
  }

  /** Further actions of agents and users. New rows are added here, at the end. */
  private static List<Row> further() {
    return List.of(
        row("files of Ralph in the Git folder deleted")
            .agent(
                a -> {
                  a.write("one.txt").commit("own").write("new.txt");
                  a.shell("find \"$(git rev-parse --absolute-git-dir)\" -name 'ralph-*' -delete");
                }),
        row("filter of a single command")
            .agent(
                a -> {
                  a.raw(".gitattributes", "*.dat filter=own\n").write("w.dat");
                  a.shell("touch -d '1 hour ago' w.dat");
                  a.git("-c", "filter.own.clean=true", "add", ".");
                  a.git("-c", "filter.own.clean=true", "commit", "--quiet", "-m", "own");
                })
            .merged("w.dat"),
        row("filter of the configuration")
            .agent(
                a -> {
                  config(a, "filter.own.clean", "tr -d w");
                  a.raw(".gitattributes", "*.dat filter=own\n").write("w.dat").commit("own");
                }),
        row("filter that keeps the content")
            .agent(
                a -> {
                  config(a, "filter.own.clean", "rev", "filter.own.smudge", "rev");
                  a.raw(".gitattributes", "*.dat filter=own\n");
                  Files.writeString(a.path("w.dat"), "content\n");
                  a.write("new.txt").commit("own");
                })
            .merged("w.dat", "new.txt"),
        row("merge driver of the agent")
            .agent(
                a -> {
                  config(a, "merge.own.driver", "true");
                  Path attributes =
                      a.folder().resolve(a.git("rev-parse", "--git-path", "info/attributes"));
                  Files.createDirectories(attributes.getParent());
                  Files.writeString(attributes, "* merge=own\n");
                  a.append("src/a.txt").write("new.txt").commit("own");
                })
            .merged("new.txt"),
        row("tracked file replaced by a pipe")
            .agent(a -> a.write("new.txt").shell("rm src/b.txt; mkfifo src/b.txt")),
        row("socket and pipe beside files")
            .agent(a -> a.write("new.txt").shell("mkdir run; mkfifo run/pipe"))
            .merged("new.txt"),
        row("repository with its Git folder elsewhere")
            .agent(
                a -> {
                  a.git("init", "--quiet", "--template=", "--separate-git-dir=meta", "lib");
                  config(a.in("lib"), "user.name", "Agent", "user.email", "agent@example.org");
                  a.in("lib").write("x.txt").commit("own").write("y.txt");
                }),
        row("Git folder with capital letters")
            .agent(a -> a.write("lib/.GIT/x.txt").write("new.txt")),
        row(".git replaced by a repository with stash entries")
            .agent(
                a -> {
                  a.write("new.txt").delete(".git");
                  init(a);
                  a.commit("own").append("new.txt").git("stash", "push", "--quiet");
                  a.append("new.txt").git("stash", "push", "--quiet");
                }),
        row("objects in a folder of the agent")
            .agent(
                a -> {
                  String path = a.git("rev-parse", "--git-path", "objects/info/alternates");
                  Path alternates = a.folder().resolve(path);
                  Path objects = Files.createDirectories(a.scene().base().resolve("other/objects"));
                  Files.createDirectories(alternates.getParent());
                  Files.writeString(alternates, objects + "\n");
                  a.write("new.txt").commit("own");
                })
            .merged("new.txt")
            .says("objects/info/alternates")
            .not(HOST),
        row("link of the user in place of a folder")
            .prepare(
                u -> {
                  Files.delete(u.path("docs/guide.md"));
                  Files.delete(u.path("docs"));
                  u.link("docs", "../outside");
                })
            .agent(a -> a.append("docs/guide.md"))
            .says("docs")
            .not(HOST),
        row("untracked file below .ralph")
            .agent(a -> a.writeIgnored(".ralph/plan.md").write("new.txt"))
            .merged("new.txt"));
  }
}
