"""Experiments, one a file, named as the file is.

A file declares one by these names:

    __doc__     a sentence for the list, and for the help what else there is to say
    OPTIONS     its command line, beside --output, --charts and --dry, which the driver has
    points      (options) -> the points to measure, plain rows; what is drawn at random is drawn here
    measure     (options, points) -> records, plain rows, as they are measured
    TABLES      how records are shown
    CHARTS      how records are drawn, if they are
"""
