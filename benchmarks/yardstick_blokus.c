/* What plain C makes of the same algorithm: Blokus for four, every legal placement equally likely.
 *
 * The board is indexed by the square of a shape's upper left corner, not by square. Every such place holds a bit for
 * each of the 91 fixed orientations: 63 of the shapes of five squares, 28 of the smaller ones. Three planes say where
 * an orientation lies on the board and on no piece (free), touches no own edge (clear), and covers an own corner point
 * and touches no own edge (reached); what may be played is both free and reached. A placement changes the planes in a window around itself, and
 * what it changes depends on its orientation alone. No kernel shares anything with this file.
 *
 *     cc -O3 -march=native yardstick_blokus.c -o yardstick && ./yardstick [SECONDS [SEED]]
 *
 * prints games, games a second of processor time, the mean number of placements, and the mean of the squares that each
 * seat has left. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SIDE = 20,
    SEATS = 4,
    REACH = 5,              /* a window reaches so far above and to the left of a placement, and below and right */
    WINDOW = 2 * REACH + 1,
    LANE = 12,              /* its columns, with one that is never set, so that they fill vectors */
    WIDTH = 32,             /* columns and rows of a plane, with room for windows over the rim */
    SHAPES = 21,
    LARGE = 63,
    SMALL = 28,
    ORIENTATIONS = LARGE + SMALL
};

typedef struct { uint64_t large[WIDTH][WIDTH]; uint32_t small[WIDTH][WIDTH]; } Plane;
typedef struct { uint64_t large[WINDOW][LANE]; uint32_t small[WINDOW][LANE]; } Window;
typedef struct { int size, shape, row[5], column[5]; } Orientation;
typedef struct {
    Plane free, clear[SEATS], reached[SEATS];
    int low[SEATS], high[SEATS]; /* rows in which a seat reaches anything, the last excluded */
} Position;

/* The 21 shapes, rows from above, separated by a stroke. */
static const char *const DRAWN[SHAPES] = {
    "#", "##", "###", "##/#.", "####", "###/#..", "###/.#.", "##/##", ".##/##.",
    "#####", "####/#...", "####/.#..", "###/##.", "###/#.#", "###/#../#..", "###/.#./.#.", ".##/##./.#.",
    "##./.##/..#", "##./.#./.##", "##../.###", ".#./###/.#."
};

static Orientation orientations[ORIENTATIONS]; /* those of five squares first */
static Window hit[ORIENTATIONS], edge[ORIENTATIONS], corner[ORIENTATIONS];
static uint64_t large_of[SHAPES];
static uint32_t small_of[SHAPES];
static Position opening;

static int by_place(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Move a shape to the upper left and put its squares in order. */
static void settle(Orientation *o)
{
    int top = 99, left = 99, squares[5];
    for (int i = 0; i < o->size; i++) {
        if (o->row[i] < top) top = o->row[i];
        if (o->column[i] < left) left = o->column[i];
    }
    for (int i = 0; i < o->size; i++) squares[i] = 16 * (o->row[i] - top) + o->column[i] - left;
    qsort(squares, o->size, sizeof *squares, by_place);
    for (int i = 0; i < o->size; i++) o->row[i] = squares[i] / 16, o->column[i] = squares[i] % 16;
}

static int equal(const Orientation *a, const Orientation *b)
{
    return a->size == b->size && !memcmp(a->row, b->row, sizeof a->row) && !memcmp(a->column, b->column, sizeof a->column);
}

static void find_orientations(void)
{
    int next[2] = {LARGE, 0}; /* of the smaller shapes, of those of five squares */
    for (int shape = 0; shape < SHAPES; shape++) {
        Orientation drawn = {0}, found[8];
        int row = 0, column = 0, known = 0;
        drawn.shape = shape;
        for (const char *c = DRAWN[shape]; *c; c++) {
            if (*c == '/') { row++, column = 0; continue; }
            if (*c == '#') drawn.row[drawn.size] = row, drawn.column[drawn.size] = column, drawn.size++;
            column++;
        }
        for (int turn = 0; turn < 8; turn++) { /* a quarter turn each; half way a reflection instead */
            for (int i = 0; i < drawn.size; i++) {
                int r = drawn.row[i], c = drawn.column[i];
                drawn.row[i] = turn == 4 ? r : c;
                drawn.column[i] = turn == 4 ? -c : -r;
            }
            settle(&drawn);
            int is_new = 1;
            for (int i = 0; i < known; i++) is_new &= !equal(&drawn, &found[i]);
            if (is_new) found[known++] = drawn;
        }
        for (int i = 0; i < known; i++) {
            int number = next[drawn.size == 5]++;
            orientations[number] = found[i];
            if (number < LARGE) large_of[shape] |= 1ull << number;
            else small_of[shape] |= 1u << (number - LARGE);
        }
    }
    if (next[0] != ORIENTATIONS || next[1] != LARGE) exit(2);
}

static void mark(Window *window, int row, int column, int o)
{
    if (o < LARGE) window->large[row + REACH][column + REACH] |= 1ull << o;
    else window->small[row + REACH][column + REACH] |= 1u << (o - LARGE);
}

/* For a placement and another one at every distance: what the one means for the other. */
static void find_windows(void)
{
    for (int a = 0; a < ORIENTATIONS; a++)
        for (int b = 0; b < ORIENTATIONS; b++)
            for (int row = -REACH; row <= REACH; row++)
                for (int column = -REACH; column <= REACH; column++)
                    for (int i = 0; i < orientations[a].size; i++)
                        for (int j = 0; j < orientations[b].size; j++) {
                            int r = abs(row + orientations[b].row[j] - orientations[a].row[i]);
                            int c = abs(column + orientations[b].column[j] - orientations[a].column[i]);
                            if (r + c == 0) mark(&hit[a], row, column, b);
                            if (r + c <= 1) mark(&edge[a], row, column, b);
                            if (r == 1 && c == 1) mark(&corner[a], row, column, b);
                        }
}

static void set(Plane *plane, int row, int column, int o)
{
    if (o < LARGE) plane->large[row + REACH][column + REACH] |= 1ull << o;
    else plane->small[row + REACH][column + REACH] |= 1u << (o - LARGE);
}

/* An empty board: seats begin in the corners, in turn. */
static void find_opening(void)
{
    static const int first[SEATS][2] = {{0, 0}, {0, SIDE - 1}, {SIDE - 1, SIDE - 1}, {SIDE - 1, 0}};
    memset(&opening, 0, sizeof opening);
    memset(opening.clear, 0xff, sizeof opening.clear);
    for (int seat = 0; seat < SEATS; seat++) {
        opening.low[seat] = first[seat][0] ? SIDE - REACH : 0;
        opening.high[seat] = first[seat][0] ? SIDE : 1;
    }
    for (int o = 0; o < ORIENTATIONS; o++) {
        const Orientation *it = &orientations[o];
        for (int row = 0; row < SIDE; row++)
            for (int column = 0; column < SIDE; column++) {
                int fits = 1;
                for (int i = 0; i < it->size; i++)
                    fits &= row + it->row[i] < SIDE && column + it->column[i] < SIDE;
                if (!fits) continue;
                set(&opening.free, row, column, o);
                for (int seat = 0; seat < SEATS; seat++)
                    for (int i = 0; i < it->size; i++)
                        if (row + it->row[i] == first[seat][0] && column + it->column[i] == first[seat][1])
                            set(&opening.reached[seat], row, column, o);
            }
    }
}

static uint64_t luck;

/* A number below n, from a splitmix64. */
static uint32_t below(uint32_t n)
{
    uint64_t z = luck += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint64_t)(uint32_t)((z ^ (z >> 31)) >> 32) * n >> 32;
}

/* What may be played at one place. */
static inline uint64_t larges(const Position *at, int seat, int row, int column, uint64_t unused)
{
    return at->free.large[row][column] & at->reached[seat].large[row][column] & unused;
}

static inline uint32_t smalls(const Position *at, int seat, int row, int column, uint32_t unused)
{
    return at->free.small[row][column] & at->reached[seat].small[row][column] & unused;
}

/* Draw a legal placement; return its orientation, or -1 if there is none. */
static int drawn(const Position *at, int seat, uint64_t large, uint32_t small, int *row, int *column)
{
    int counts[SIDE], total = 0;
    for (int r = at->low[seat]; r < at->high[seat]; r++) {
        uint64_t of_large = 0; /* as wide as what is counted, or the sums would not be done in vectors */
        uint32_t of_small = 0;
        for (int c = 0; c < SIDE; c++) of_large += __builtin_popcountll(larges(at, seat, r + REACH, c + REACH, large));
        for (int c = 0; c < SIDE; c++) of_small += __builtin_popcount(smalls(at, seat, r + REACH, c + REACH, small));
        total += counts[r] = of_large + of_small;
    }
    if (!total) return -1;
    int left = below(total), r = at->low[seat];
    while (left >= counts[r]) left -= counts[r++];
    for (int c = REACH;; c++) {
        uint64_t a = larges(at, seat, r + REACH, c, large);
        uint32_t b = smalls(at, seat, r + REACH, c, small);
        int of_a = __builtin_popcountll(a), of_b = __builtin_popcount(b);
        if (left >= of_a + of_b) { left -= of_a + of_b; continue; }
        *row = r, *column = c - REACH;
        if (left < of_a) {
            while (left--) a &= a - 1;
            return __builtin_ctzll(a);
        }
        for (left -= of_a; left--;) b &= b - 1;
        return LARGE + __builtin_ctz(b);
    }
}

/* Change one row of the planes under a window; a function each, so that its pointers may be told to be apart. */
static void sweep_large(uint64_t *restrict free, uint64_t *restrict clear, uint64_t *restrict reached,
                        const uint64_t *restrict hit, const uint64_t *restrict edge, const uint64_t *restrict corner)
{
    for (int c = 0; c < LANE; c++) {
        uint64_t still = clear[c] & ~edge[c];
        free[c] &= ~hit[c];
        reached[c] = (reached[c] | corner[c]) & still;
        clear[c] = still;
    }
}

static void sweep_small(uint32_t *restrict free, uint32_t *restrict clear, uint32_t *restrict reached,
                        const uint32_t *restrict hit, const uint32_t *restrict edge, const uint32_t *restrict corner)
{
    for (int c = 0; c < LANE; c++) {
        uint32_t still = clear[c] & ~edge[c];
        free[c] &= ~hit[c];
        reached[c] = (reached[c] | corner[c]) & still;
        clear[c] = still;
    }
}

/* Change the planes around a placement. Its window begins at its own indices: both are shifted by REACH. */
static void place(Position *at, int seat, int o, int row, int column)
{
    Plane *free = &at->free, *clear = &at->clear[seat], *reached = &at->reached[seat];
    for (int r = 0; r < WINDOW; r++) {
        sweep_large(free->large[row + r] + column, clear->large[row + r] + column, reached->large[row + r] + column,
                    hit[o].large[r], edge[o].large[r], corner[o].large[r]);
        sweep_small(free->small[row + r] + column, clear->small[row + r] + column, reached->small[row + r] + column,
                    hit[o].small[r], edge[o].small[r], corner[o].small[r]);
    }
    if (row - REACH < at->low[seat]) at->low[seat] = row < REACH ? 0 : row - REACH;
    if (row + REACH >= at->high[seat]) at->high[seat] = row + REACH >= SIDE ? SIDE : row + REACH + 1;
}

/* Play a game; add the squares that each seat has left, and return the number of placements. */
static int play(Position *at, int64_t left[SEATS])
{
    uint64_t large[SEATS];
    uint32_t small[SEATS];
    int out = 0, placements = 0;
    memcpy(at, &opening, sizeof *at);
    for (int seat = 0; seat < SEATS; seat++) large[seat] = ~0ull, small[seat] = ~0u, left[seat] += 89;
    for (int seat = 0; out != (1 << SEATS) - 1; seat = (seat + 1) % SEATS) {
        if (out >> seat & 1) continue;
        int row = 0, column = 0, o = drawn(at, seat, large[seat], small[seat], &row, &column);
        if (o < 0) { out |= 1 << seat; continue; } /* who cannot place now never will */
        place(at, seat, o, row, column);
        large[seat] &= ~large_of[orientations[o].shape];
        small[seat] &= ~small_of[orientations[o].shape];
        left[seat] -= orientations[o].size;
        placements++;
    }
    return placements;
}

int main(int count, char **arguments)
{
    static Position at;
    double seconds = count > 1 ? atof(arguments[1]) : 2;
    int64_t left[SEATS] = {0}, placements = 0, games = 0;
    double best = 0, spent = 0;
    luck = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    find_orientations();
    find_windows();
    find_opening();
    while (spent < seconds) { /* the best of pieces of 2,000 games: other work on the machine disturbs little */
        clock_t started = clock();
        for (int i = 0; i < 2000; i++, games++) placements += play(&at, left);
        double piece = (double)(clock() - started) / CLOCKS_PER_SEC;
        spent += piece;
        if (2000 / piece > best) best = 2000 / piece;
    }
    printf("%lld %.0f %.4f", (long long)games, best, (double)placements / games);
    for (int seat = 0; seat < SEATS; seat++) printf(" %.4f", (double)left[seat] / games);
    printf("\n");
    return 0;
}
