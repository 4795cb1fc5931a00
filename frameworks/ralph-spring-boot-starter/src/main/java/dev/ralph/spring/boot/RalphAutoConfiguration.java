package dev.ralph.spring.boot;

import dev.ralph.Agent;
import dev.ralph.Gate;
import dev.ralph.Ralph;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.task.AsyncTaskExecutor;

/** Configures the application's store and loops. */
@AutoConfiguration
@EnableConfigurationProperties(RalphProperties.class)
public class RalphAutoConfiguration {

  /** Opens the store unless the application defines one. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Ralph ralph(
      RalphProperties properties,
      ObjectProvider<DataSource> sources,
      ObjectProvider<StoreCustomizer> customizers) {
    List<StoreCustomizer> customizing = customizers.orderedStream().toList();
    if (DataSourceAddress.isDataSource(properties.store())) {
      FrameStore store = DataSourceAddress.open(properties.store(), sources);
      return Ralph.over(customized(store, customizing));
    }
    Ralph.Builder builder = Ralph.builder().address(properties.store());
    if (!customizing.isEmpty()) {
      List<FrameStoreProvider> providers = new ArrayList<>();
      for (FrameStoreProvider each : ServiceLoader.load(FrameStoreProvider.class)) {
        providers.add(new CustomizedProvider(each, customizing));
      }
      builder.providers(providers);
    }
    return builder.open();
  }

  private record CustomizedProvider(FrameStoreProvider provider, List<StoreCustomizer> customizing)
      implements FrameStoreProvider {

    @Override
    public String name() {
      return provider.name();
    }

    @Override
    public FrameStore open(StoreConfig config) {
      return customized(provider.open(config), customizing);
    }
  }

  private static FrameStore customized(FrameStore store, List<StoreCustomizer> customizing) {
    FrameStore customized = store;
    for (StoreCustomizer each : customizing) {
      customized = each.customize(customized);
    }
    return customized;
  }

  /** Runs loops in their own threads, or in virtual threads if the application uses these. */
  @Bean
  @ConditionalOnMissingBean
  RalphLoops ralphLoops(
      Ralph ralph,
      RalphProperties properties,
      ObjectProvider<Agent> agents,
      ObjectProvider<Gate> gates,
      ObjectProvider<LoopCustomizer> customizers,
      @Qualifier("applicationTaskExecutor") ObjectProvider<AsyncTaskExecutor> executor,
      Environment environment) {
    AsyncTaskExecutor threads =
        Threading.VIRTUAL.isActive(environment) ? executor.getIfAvailable() : null;
    return new RalphLoops(ralph, properties.loops(), agents, gates, customizers, threads);
  }
}
