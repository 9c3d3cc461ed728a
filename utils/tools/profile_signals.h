/* `--profile`: a program that is ended by SIGINT, SIGTERM or SIGHUP leaves its trace. */
#ifndef SSPUR_TOOLS_PROFILE_SIGNALS_H
#define SSPUR_TOOLS_PROFILE_SIGNALS_H

/* From now on one of these signals, unless it is ignored, first writes the profile, and then ends the process as it
 * would have: the shell sees it. A second one ends it at once. */
void profile_signals_watch(void);

#endif
