package dev.ralph.web.internal.page;

import dev.ralph.Control;
import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskEdit;
import dev.ralph.core.internal.host.OfferedSession;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import org.jspecify.annotations.Nullable;

/** Executes the orders that a person gives on the page. */
final class PageOrders {

  private final Ralph ralph;
  private final Session session;
  private final String by;

  /**
   * Creates an executor.
   *
   * @param by the name of the person
   */
  PageOrders(Ralph ralph, Session session, String by) {
    this.ralph = ralph;
    this.session = session.asPerson(by);
    this.by = by;
  }

  /**
   * Executes an order: its member {@code order} with the parameters.
   *
   * @return the data to show to the person
   * @throws RalphException INVALID if the order is invalid; otherwise as the session throws
   */
  Meta execute(Meta order) {
    String what = text(order, "order");
    switch (what) {
      case "message" -> {
        int number =
            session
                .inbox()
                .send(
                    NewMessage.of(text(order, "text"))
                        .by(by)
                        .key(order.string("key"))
                        .followUp(order.isTrue("follow_up")))
                .number();
        return Meta.of("ref", "m" + number);
      }
      case "answer" -> session.questions().answer(text(order, "question"), text(order, "text"), by);
      case "add" -> {
        NewTask task = NewTask.of(text(order, "text")).key(order.string("key"));
        Integer priority = priority(order);
        task = priority == null ? task : task.priority(priority);
        for (String ref : order.strings("depends")) {
          task = task.dependsOn(ref);
        }
        return Meta.of("ref", "t" + session.tasks().add(task).number());
      }
      case "edit" -> {
        TaskEdit edit = TaskEdit.of();
        String text = order.string("text");
        Integer priority = priority(order);
        edit = text == null ? edit : edit.content(text);
        edit = priority == null ? edit : edit.priority(priority);
        edit = order.has("depends") ? edit.dependencies(order.strings("depends")) : edit;
        session.tasks().edit(text(order, "task"), edit);
      }
      case "status" ->
          session
              .tasks()
              .status(
                  text(order, "task"),
                  StatusChange.to(Task.Status.of(text(order, "status")))
                      .because(order.string("reason")));
      case "offer" -> offer();
      case "pause" -> session.control().pause();
      case "resume" -> session.control().resume();
      case "raise" -> session.control().raise(more(order));
      case "stop" -> session.control().stop("by " + by);
      default -> throw RalphException.invalid("unknown order " + RalphException.quote(what));
    }
    return Meta.empty();
  }

  /** Repeats the last offer to hosts. Each host decides about trust in the project. */
  private void offer() {
    SessionOffers offers = SessionOffers.of(ralph);
    OfferedSession last = offers.find(session.name()).orElse(null);
    if (last == null) {
      throw RalphException.invalid(
          "this session was never offered to hosts; run: ralph build -n "
              + session.name()
              + " --detach");
    }
    if (last.isOpen()) {
      throw RalphException.invalid("this session is already offered to hosts");
    }
    if (session.control().running().filter(Control.RunningLoop::live).isPresent()) {
      throw RalphException.invalid("a loop runs on this session; offer the session after its end");
    }
    offers.put(session.name(), last.offer());
  }

  private static Control.More more(Meta order) {
    return new Control.More(
        (int) Math.max(-1, Math.min(Integer.MAX_VALUE, order.integer("iterations").orElse(0))),
        order.number("cost_usd"),
        order.integer("tokens").orElse(0));
  }

  private static String text(Meta order, String name) {
    String text = order.string(name);
    if (text == null) {
      throw RalphException.invalid("the order has no " + name);
    }
    return text;
  }

  private static @Nullable Integer priority(Meta order) {
    if (!order.has("priority")) {
      return null;
    }
    long priority = order.integer("priority").orElse(-1);
    return (int) Math.max(-1, Math.min(Integer.MAX_VALUE, priority));
  }
}
