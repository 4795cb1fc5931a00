package org.example;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.Ralph;
import dev.ralph.Task;
import dev.ralph.Verdict;
import dev.ralph.spring.boot.RalphLoops;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** An application with durable tasks, which an agent completes. */
@SpringBootApplication
public class BootApplication {

  public static void main(String[] arguments) {
    SpringApplication.run(BootApplication.class, arguments);
  }

  @Bean
  Agent agent() {
    return turn -> {
      Task task = turn.session().tasks().ready().get(0);
      turn.session().tasks().complete(task.id());
      return AgentResult.success().summary("did " + task.content());
    };
  }

  @Bean
  Gate checked() {
    return Gate.named("checked", context -> Verdict.passed());
  }

  /** A controller for one session. */
  @RestController
  record Work(Ralph ralph, RalphLoops loops, Agent agent) {

    @PostMapping("/tasks")
    Task add(@RequestBody String text) {
      return ralph.session("work").tasks().add(text);
    }

    @GetMapping("/tasks")
    List<Task> tasks() {
      return ralph.session("work").tasks().list();
    }

    @PostMapping("/messages")
    Message send(@RequestBody String text) {
      return ralph.session("work").inbox().send(text);
    }

    @PostMapping("/run")
    LoopResult run() {
      return loops.start("work", agent, loop -> loop.doneWhen(all -> true)).join();
    }
  }
}
