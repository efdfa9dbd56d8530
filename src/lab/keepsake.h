/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that have no name until they are complete, so that a program that is killed leaves none
 * behind (O_TMPFILE of open(2); in memory where no file system has it).
 */
#ifndef TW_LAB_KEEPSAKE_H
#define TW_LAB_KEEPSAKE_H

/* A file for writing and reading, on the file system of `folder` if it can be; NULL: anywhere. */
int tw_keepsake_open(const char *folder);

/* Gives it the name `folder`/`name`, instead of a file that has it. 0 or a negative errno. */
int tw_keepsake_name(int fd, const char *folder, const char *name);

#endif
