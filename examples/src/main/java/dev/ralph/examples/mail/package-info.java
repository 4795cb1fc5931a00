/** Examples of mail between agents. */
@NullMarked
package dev.ralph.examples.mail;

import org.jspecify.annotations.NullMarked;
