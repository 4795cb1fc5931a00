package dev.ralph.spring.boot;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import org.example.BootApplication;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** The example with an agent that reports its start and waits for permission to continue. */
@Configuration
public class SlowApplication {

  /** Starts the application. */
  public static void main(String[] arguments) {
    SpringApplication.run(new Class<?>[] {BootApplication.class, SlowApplication.class}, arguments);
  }

  /** Replaces the example's agent. */
  @Bean
  @Primary
  Agent slowAgent() {
    return turn -> {
      Path folder = turn.directory();
      Task task = turn.session().tasks().ready().get(0);
      Files.createFile(folder.resolve("begun-" + turn.iteration()));
      while (Files.notExists(folder.resolve("go-on"))) {
        Thread.sleep(10);
      }
      turn.session().tasks().complete(task.id());
      return AgentResult.success();
    };
  }
}
