package dev.ralph.store.socket.internal;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A file store that this process serves, as a loop does. The first client opens the store. Its
 * threads belong to a group that no test counts.
 */
final class ServedStore implements AutoCloseable {

  private static final Path SOCKETS = folder();
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Path directory;
  private final SetClock clock = new SetClock();
  private final StoreSocket socket;
  private final String address;
  private @Nullable FrameStore store;

  ServedStore(Path directory) {
    this.directory = directory;
    FrameStore opened =
        (FrameStore)
            Proxy.newProxyInstance(
                FrameStore.class.getClassLoader(),
                new Class<?>[] {FrameStore.class},
                (proxy, method, arguments) -> call(method, arguments));
    Path path = SOCKETS.resolve("s" + COUNT.incrementAndGet());
    this.socket = start(opened, path);
    this.address = SocketStoreProvider.address(path); // the socket's location opens the file store
  }

  private static Path folder() {
    try {
      return Files.createTempDirectory("served-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StoreSocket start(FrameStore store, Path path) {
    ThreadGroup system = Thread.currentThread().getThreadGroup();
    while (system.getParent() != null) {
      system = system.getParent();
    }
    FutureTask<StoreSocket> task = new FutureTask<>(() -> StoreSocket.serve(store, path));
    new Thread(system, task, "serve").start();
    boolean interrupted = Thread.interrupted();
    try {
      return task.get();
    } catch (ExecutionException | InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Object call(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(store(), arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private synchronized FrameStore store() {
    if (store == null) {
      store = new FileStoreProvider().open(StoreConfig.in(directory).clock(clock));
    }
    return store;
  }

  boolean exists() {
    return Files.exists(directory);
  }

  String address() {
    return address;
  }

  /** Sets the clock of the served store. */
  void clock(Clock given) {
    clock.given = given;
  }

  /** Closes the served store; the next client opens it again. */
  synchronized void closeStore() {
    if (store != null) {
      store.close();
      store = null;
    }
  }

  @Override
  public void close() {
    socket.close();
    closeStore();
  }

  private static final class SetClock extends Clock {

    private volatile Clock given = Clock.systemUTC();

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return given.instant();
    }
  }
}
