/**
 * The contract of a {@link dev.ralph.spi.FrameStore} as JUnit classes, for anyone who writes a
 * backend.
 *
 * <h2>What to write</h2>
 *
 * <p>With this artifact on the test class path, one class that says what the kit must know of the
 * store, and runs the whole contract on it:
 *
 * <pre>{@code
 * class JournalStoreTest extends FrameStoreConformance {
 *
 *   protected StoreFixture fixture() {
 *     return new StoreFixture() {
 *
 *       public FrameStoreProvider provider() {
 *         return new JournalStoreProvider();
 *       }
 *
 *       public Set<Capability> capabilities() {
 *         return EnumSet.of(Capability.PERSISTENT, Capability.MINTS_IDS, Capability.SYNC);
 *       }
 *     };
 *   }
 * }
 * }</pre>
 *
 * <p>and one file, {@code guarantees-KIND.md} among the test resources: the table of what the store
 * gives. Run the test once with {@code -Dralph.tck.guarantees=src/test/resources} to have it
 * written, read it, and commit it. From then on a build in which the store tells anything else of
 * itself fails, and says how to update the table.
 *
 * <p>The provider must be found by {@link java.util.ServiceLoader}, as the kit starts other
 * processes that open the store by its name. What is particular to a store (arguments of the JVM,
 * files that may be deleted at any moment, whether appends wait for a lock) is said by overriding
 * further methods of {@link dev.ralph.tck.StoreFixture}.
 *
 * <p>While a store is not there yet, extend one suite at a time, such as {@link
 * dev.ralph.tck.LogConformance}: each is a class of its own over the same fixture.
 *
 * <h2>What is tested</h2>
 *
 * <table>
 * <caption>The suites, in the order in which they run: the plainest first</caption>
 * <tr><th>suite</th><th>says</th></tr>
 * <tr><td>Declaration</td><td>the store is what its fixture and its committed table say</td></tr>
 * <tr><td>Log</td><td>one order; get, last, topics</td></tr>
 * <tr><td>Read</td><td>filter, position, direction and limit; {@code a.b.*} is not {@code a.bc}
 *     </td></tr>
 * <tr><td>Batch</td><td>all or nothing, never seen in part, found by its id</td></tr>
 * <tr><td>Condition</td><td>nothing relevant has come since; one winner</td></tr>
 * <tr><td>Id</td><td>ids never repeat, and increase whatever the clock does</td></tr>
 * <tr><td>Follow</td><td>each frame once, in order, however slow; wake-up, time-out, close</td></tr>
 * <tr><td>Reopen</td><td>what was there is there, at the same positions</td></tr>
 * <tr><td>Import</td><td>frames of another store keep id and time, come once, move no clock</td></tr>
 * <tr><td>Content</td><td>empty, 16 MiB, every character of Unicode, NUL; meta data as written
 *     </td></tr>
 * <tr><td>Snapshot</td><td>kept by key, byte for byte</td></tr>
 * <tr><td>Erase</td><td>what is erased is in no file any more, and everybody notices</td></tr>
 * <tr><td>Volume</td><td>70,000 frames, and batches of 45 MiB, are like few and small ones</td></tr>
 * <tr><td>Concurrency</td><td>threads that append, read and follow see one log</td></tr>
 * <tr><td>Close</td><td>everyone is told, nothing acknowledged is lost, no thread is left</td></tr>
 * <tr><td>Interrupt</td><td>a host's interrupts hurt no one</td></tr>
 * <tr><td>Model</td><td>random programs of operations agree with a plain list</td></tr>
 * <tr><td>Damage</td><td>a flipped bit is told in each way of reading, whenever the store is opened,
 *     and never makes a wrong frame</td></tr>
 * <tr><td>ClassLoader</td><td>two copies of the store's classes in one JVM share one log</td></tr>
 * <tr><td>Process</td><td>JVMs that append, read and follow share one log</td></tr>
 * <tr><td>Crash</td><td>a writer that is killed costs nothing that it acknowledged, and one that is
 *     killed or stopped costs the others nothing</td></tr>
 * </table>
 *
 * <h2>Capabilities</h2>
 *
 * <p>No test is skipped because a capability is missing. Where a store does not declare what a test
 * is about, the test holds it to not having that, and passes if it lacks it openly: a store that is
 * not {@code PERSISTENT} is new and empty when it is opened again; one that is persistent but not
 * {@code MULTI_PROCESS} refuses a second opening while it is open, in this process, by another
 * class loader of it, or in another process, with LOCKED or UNSUPPORTED; one that is neither gives
 * each a store apart; one that does not declare {@code DETECTS_DAMAGE} may return what a flipped
 * bit made, but does not fall over it; one that does not declare {@code ERASES} says UNSUPPORTED.
 * {@code SYNC} is taken at the store's word, as no test here cuts the power.
 *
 * <p>A test that this machine cannot run, because it lacks signals or counters of what was read, is
 * reported as aborted, with the reason.
 *
 * <h2>When a random program fails</h2>
 *
 * <p>The failure is a program made as small as it goes, what was seen, and the seed to run it again
 * by. System properties: {@code ralph.tck.programs} (how many, 100), {@code ralph.tck.operations}
 * (of each, 60), {@code ralph.tck.seed} (of the first; otherwise it changes with the day).
 *
 * <p>{@code ralph.tck.patience} is how many seconds what must happen may take, 60 if it is not set.
 */
@NullMarked
package dev.ralph.tck;

import org.jspecify.annotations.NullMarked;
