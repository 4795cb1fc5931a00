/**
 * The commands for a project and its sessions besides the loop. Each command is a class: {@link
 * dev.ralph.cli.project.InitCommand} and {@link dev.ralph.cli.project.TrustCommand} prepare a
 * project, {@link dev.ralph.cli.project.RaiseCommand} raises the limits of its loop, and {@link
 * dev.ralph.cli.project.BranchCommand} merges the work of its sessions.
 */
@NullMarked
package dev.ralph.cli.project;

import org.jspecify.annotations.NullMarked;
