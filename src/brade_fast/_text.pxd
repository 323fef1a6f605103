# The canonical text of a play from its steps; notation.play_text says what it is.

from libc.stdint cimport int8_t
from libc.string cimport memcmp, memcpy, memset

cdef enum:
    TEXT_SIZE = 128             # at most four men, each with at most "bar/11!/22!/off(4) "

cdef struct Path:               # men that went the same way
    int8_t points[6]            # 0 and more, then -1
    int8_t marks[6]             # of each point the greatest hit that one of them made there
    int stops
    int stopped                 # the time of the last step
    int men


cdef inline bint goes_before(const Path *a, const Path *b) noexcept nogil:
    """First source ascending, then last target descending, then all points."""
    if a.points[0] != b.points[0]:
        return a.points[0] < b.points[0]
    if a.points[a.stops - 1] != b.points[b.stops - 1]:
        return a.points[a.stops - 1] > b.points[b.stops - 1]
    return memcmp(a.points, b.points, 5) < 0


cdef inline int find_paths(const int8_t *steps, Path *paths) noexcept nogil:
    """Joins steps to the ways of single men; answers how many."""
    cdef Path *man
    cdef int n = 0, k, i
    for k in range(4):
        if steps[4 * k] < 0:
            break
        man = NULL
        for i in range(n):      # of several the one that came first
            if (paths[i].points[paths[i].stops - 1] == steps[4 * k]
                    and (man == NULL or paths[i].stopped < man.stopped)):
                man = &paths[i]
        if man == NULL:
            man = &paths[n]
            n += 1
            memset(man.points, -1, sizeof(man.points))
            man.points[0] = steps[4 * k]
            man.marks[0] = 0
            man.stops = man.men = 1
        man.points[man.stops] = steps[4 * k + 1]
        man.marks[man.stops] = steps[4 * k + 3]
        man.stops += 1
        man.stopped = k
    return n


cdef inline int group_paths(Path *paths, int n) noexcept nogil:
    """Puts men with the same points together and sorts; answers how many groups there are."""
    cdef Path path
    cdef int groups = 0, i, k, j
    for i in range(n):
        path = paths[i]
        k = 0
        while k < groups and memcmp(paths[k].points, path.points, 5) != 0:
            k += 1
        if k < groups:
            paths[k].men += 1
            for j in range(path.stops):
                paths[k].marks[j] = max(paths[k].marks[j], path.marks[j])
            continue
        while k > 0 and goes_before(&path, &paths[k - 1]):
            paths[k] = paths[k - 1]
            k -= 1
        paths[k] = path
        groups += 1
    return groups


cdef inline char *write_point(char *to, int point, int mark) noexcept nogil:
    if point == 0 or point == 25:
        memcpy(to, "bar" if point == 0 else "off", 3)
        to += 3
    else:
        if point > 9:
            to[0] = 48 + point // 10     # "0"
            to += 1
        to[0] = 48 + point % 10
        to += 1
    if mark:
        to[0] = c"*" if mark == 1 else c"!"
        to += 1
    return to


cdef inline int steps_text(const int8_t *steps, char *text) noexcept nogil:
    """Writes the text of canonical steps, "pass" for none; answers its length."""
    cdef Path paths[4]
    cdef int groups = group_paths(paths, find_paths(steps, paths)), i, k
    cdef char *to = text
    if groups == 0:
        memcpy(text, "pass", 4)
        return 4
    for i in range(groups):
        for k in range(paths[i].stops):
            if k or i:
                to[0] = c"/" if k else c" "
                to += 1
            to = write_point(to, paths[i].points[k], paths[i].marks[k])
        if paths[i].men > 1:
            to[0] = c"("
            to[1] = 48 + paths[i].men
            to[2] = c")"
            to += 3
    return to - text
