/**
 * The TCK: conformance tests of a {@link dev.ralph.spi.FrameStore} as JUnit classes, for authors of
 * stores.
 *
 * <h2>Setup</h2>
 *
 * <p>Add this artifact to the test class path and write a class that describes the store and runs
 * all suites:
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
 * <p>Add a file {@code guarantees-KIND.md} to the test resources, with the table of the store's
 * guarantees. To create the file, run the test once with {@code
 * -Dralph.tck.guarantees=src/test/resources}; then check and commit the file. Later builds fail if
 * the store declares other guarantees, and describe how to update the table.
 *
 * <p>{@link java.util.ServiceLoader} must find the provider, because the TCK starts processes that
 * open the store by name. Override further methods of {@link dev.ralph.tck.StoreFixture} for
 * properties of the store: JVM arguments, files that may be deleted at any time, appends that wait
 * for a lock.
 *
 * <p>For a store under development, extend one suite at a time, for example {@link
 * dev.ralph.tck.LogConformance}: each suite is a separate class with the same fixture.
 *
 * <h2>Suites</h2>
 *
 * <table>
 * <caption>The suites in the order of execution, simple ones first</caption>
 * <tr><th>suite</th><th>tests</th></tr>
 * <tr><td>Declaration</td><td>the store's declaration equals its fixture and its table</td></tr>
 * <tr><td>Log</td><td>one order; get, last, topics</td></tr>
 * <tr><td>Read</td><td>filter, position, direction and limit; {@code a.b.*} is not {@code a.bc}
 *     </td></tr>
 * <tr><td>Batch</td><td>all or nothing, never partly visible, found by id</td></tr>
 * <tr><td>Condition</td><td>no selected frame was appended since; one winner</td></tr>
 * <tr><td>Id</td><td>ids are unique, and increase for any clock</td></tr>
 * <tr><td>Follow</td><td>each frame once and in order, however slow; wakeup, timeout, close</td></tr>
 * <tr><td>Reopen</td><td>the same frames at the same positions</td></tr>
 * <tr><td>Import</td><td>imports keep id and time, happen once, do not affect minting</td></tr>
 * <tr><td>Content</td><td>empty, 16 MiB, every character of Unicode, NUL; metadata unchanged
 *     </td></tr>
 * <tr><td>Snapshot</td><td>kept by key, byte for byte</td></tr>
 * <tr><td>Erase</td><td>erased data is in no file, and all readers notice</td></tr>
 * <tr><td>Compact</td><td>a compaction removes erased frames and changes nothing else</td></tr>
 * <tr><td>Volume</td><td>70,000 frames, and batches of 45 MiB</td></tr>
 * <tr><td>Concurrency</td><td>threads that append, read and follow see one log</td></tr>
 * <tr><td>Close</td><td>all calls fail, nothing acknowledged is lost, no thread is left</td></tr>
 * <tr><td>Interrupt</td><td>interrupts of the host's threads do no harm</td></tr>
 * <tr><td>Model</td><td>random programs of operations match a plain list</td></tr>
 * <tr><td>Damage</td><td>a flipped bit is reported by all readers after each opening, and never
 *     returns a wrong frame</td></tr>
 * <tr><td>ClassLoader</td><td>two copies of the store's classes in one JVM share one log</td></tr>
 * <tr><td>Process</td><td>JVMs that append, read and follow share one log</td></tr>
 * <tr><td>Crash</td><td>a killed writer loses nothing acknowledged, and a killed or stopped writer
 *     does not affect others</td></tr>
 * </table>
 *
 * <h2>Capabilities</h2>
 *
 * <p>No test is skipped because of a missing capability. Instead the test checks that the store
 * rejects the use of the capability. A store without {@code PERSISTENT} is new and empty after it
 * is reopened. A persistent store without {@code MULTI_PROCESS} rejects a second opening by this
 * process, another class loader or another process with LOCKED or UNSUPPORTED; a store with neither
 * capability gives each opening a separate store. A store without {@code DETECTS_DAMAGE} may return
 * damaged frames, but must not fail otherwise. A store without {@code ERASES} throws UNSUPPORTED,
 * and so does a store without {@code COMPACTS}. {@code SYNC} is not tested, because no test cuts
 * the power.
 *
 * <p>A test that this machine cannot run, because it lacks signals or counters of read bytes, is
 * reported as aborted, with the reason.
 *
 * <h2>Failures of random programs</h2>
 *
 * <p>The message shows the shrunk program, the failure, and the seed to repeat it. System
 * properties: {@code ralph.tck.programs} (number of programs, 100), {@code ralph.tck.operations}
 * (operations per program, 60), {@code ralph.tck.seed} (seed of the first program; the default
 * changes daily).
 *
 * <p>{@code ralph.tck.patience} is the maximum wait for an expected event in seconds, 60 by
 * default.
 */
@NullMarked
package dev.ralph.tck;

import org.jspecify.annotations.NullMarked;
