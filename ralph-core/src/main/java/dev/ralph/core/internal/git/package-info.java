/**
 * What work trees, branches and landing share: how Git is asked, and how what is Ralph's is named.
 */
@NullMarked
package dev.ralph.core.internal.git;

import org.jspecify.annotations.NullMarked;
