package dev.ralph.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.StopReason;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.postgres.PostgresServer;
import dev.ralph.store.postgres.PostgresStores;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.example.BootApplication;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Tests the store behind the application's data source, on a real server. */
class DataSourceStoreTest {

  private static DataSource source() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl("jdbc:postgresql://127.0.0.1:" + PostgresServer.shared().port() + "/postgres");
    source.setUser("ralph");
    return source;
  }

  private static ConfigurableApplicationContext application(
      String store, List<FrameStore> customized, DataSource... sources) {
    return new SpringApplicationBuilder(BootApplication.class)
        .web(WebApplicationType.NONE)
        .initializers(
            context -> {
              GenericApplicationContext beans = (GenericApplicationContext) context;
              for (int i = 0; i < sources.length; i++) {
                DataSource source = sources[i];
                beans.registerBean("source" + i, DataSource.class, () -> source);
              }
              beans.registerBean(
                  StoreCustomizer.class,
                  () ->
                      opened -> {
                        customized.add(opened);
                        return opened;
                      });
            })
        .run("--ralph.store=" + store, "--spring.main.banner-mode=off", "--logging.level.root=off");
  }

  @Test
  void dataSource_hasTheStore() {
    List<FrameStore> customized = new ArrayList<>();
    try (ConfigurableApplicationContext application =
        application("datasource:boot", customized, source())) {
      Ralph ralph = application.getBean(Ralph.class);
      assertThat(ralph.log().info().kind()).isEqualTo("postgres");
      ralph.session("work").tasks().add("Write it");
      LoopResult result =
          application
              .getBean(RalphLoops.class)
              .start("work", application.getBean(Agent.class), loop -> loop.doneWhen(all -> true))
              .join();
      assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
      assertThat(customized).hasSize(1);
    }

    try (Ralph ralph = Ralph.over(PostgresStores.of(source(), "boot"))) {
      assertThat(ralph.session("work").tasks().list()).hasSize(1);
      assertThat(ralph.session("work").tasks().list().open()).isEmpty();
    }
  }

  @Test
  void invalidDataSource_isReported() {
    assertThatThrownBy(() -> application("datasource:boot", new ArrayList<>()))
        .rootCause()
        .hasMessageContaining("has no unique DataSource bean; mark a bean as @Primary");
    assertThatThrownBy(() -> application("datasource:boot", new ArrayList<>(), source(), source()))
        .rootCause()
        .hasMessageContaining("no unique DataSource bean");
    assertThatThrownBy(() -> application("datasource:", new ArrayList<>(), source()))
        .rootCause()
        .hasMessageContaining("must be 1 to 63 characters");
  }
}
