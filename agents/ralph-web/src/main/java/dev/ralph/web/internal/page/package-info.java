/**
 * The live page: the content of sessions as JSON that all visitors share, and the orders of
 * visitors. Begin with {@link dev.ralph.web.internal.page.Page}; a {@link
 * dev.ralph.web.internal.page.FeedSource} renders content, a {@link
 * dev.ralph.web.internal.page.PageFeed} shares the content between listeners, and {@link
 * dev.ralph.web.internal.page.PageOrders} executes orders.
 */
@NullMarked
package dev.ralph.web.internal.page;

import org.jspecify.annotations.NullMarked;
