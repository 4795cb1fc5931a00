/** The page and the tools of a store in a Jakarta servlet container: {@code RalphServlet}. */
@NullMarked
package dev.ralph.servlet;

import org.jspecify.annotations.NullMarked;
