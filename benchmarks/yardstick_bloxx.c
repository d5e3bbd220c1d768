/* What C makes of BLOXX! for four on the standard sheet, every legal action equally likely.
 *
 * The games are those of the kernel, with the same seed and blocks: the generator, its keys and the order of the actions
 * are those of Reroll, and circles, completed rows and all parts of the scores are written down. A shape falls straight
 * down, so an orientation has at most one place for each column of its left edge. Where it comes to rest is worked out
 * for all columns at once, in vectors of eight columns. No kernel shares anything with this file: the kernel tests all
 * rows, because in other rulesets shapes may hang, and it takes the sheet, the dice and the players from its arguments.
 *
 *     cc -O3 -march=native yardstick_bloxx.c -o yardstick && ./yardstick [SECONDS [SEED]]
 *
 * prints games, games a second of processor time, the mean number of shapes drawn in a game, and the mean score of
 * each seat. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COLUMNS = 7,
    ROWS = 10,
    SEATS = 4,
    FACES = 6,
    COLOURED = 4,
    LANES = 8,     /* columns in a vector: those of the sheet and one that is never used */
    MARGIN = 1,    /* columns left of the sheet */
    PADDED = 16,   /* columns with margins on both sides, so that no loop needs a test */
    WIDEST = 4,
    MOST_SQUARES = 5,
    MOST_ORIENTATIONS = 8,
    FIRST_TO_COMPLETE = 4,
    LATER_TO_COMPLETE = 2,
    PIECE = 2000   /* games that are timed together */
};

enum { PURPOSE_DICE = 0, PURPOSE_STRATEGY = 1 }; /* keys of luck */
enum { COMPLETED_ROWS, NUMBERS_CIRCLED, GAPS, BLANKS, PARTS }; /* parts of a score */

typedef struct {
    int width, height, marks;
    int mark_column[WIDEST], mark_row[WIDEST];
    int16_t bottom[WIDEST];  /* lowest row of a column */
    int16_t top[WIDEST];     /* highest row of a column */
    int16_t rows[WIDEST];    /* rows of the squares of a column */
    int16_t filled[WIDEST];  /* squares of a column */
    int16_t across[WIDEST];  /* columns of the squares of a row */
    int squares[MOST_SQUARES]; /* column by column; they decide the order of the orientations */
} Orientation;

typedef struct { int count; Orientation orientations[MOST_ORIENTATIONS]; } Face;

typedef struct {
    int16_t height[PADDED]; /* of a column: one more than its highest drawn row */
    int16_t drawn[PADDED];  /* drawn rows of a column */
    int16_t missing[ROWS];  /* columns of a row that are not drawn */
    int16_t circles[ROWS];  /* columns of a row with a circle */
    int rows, row_points, numbers, number_points, gaps;
    int closed;             /* squares that are drawn or gaps */
} Sheet;

typedef struct {
    int rounds, plies;
    int count[SEATS][PARTS], points[SEATS][PARTS];
} Result;

typedef int16_t Lanes __attribute__((vector_size(2 * LANES))); /* GCC and Clang compute with all lanes at once */
typedef struct { Lanes row; int legal; } Spots; /* rows of rest, and columns in which a shape may rest */

static const char *const NUMBERS[ROWS] = { /* from the top */
    "4..3...", ".3..4.2", "..4...3", "4..2.3.", "...3..2", ".2.4..3", "3...2..", "..3..2.", "2..3...", ".2...2."
};
static const int COLOURED_ROWS[COLOURED] = {1, 3, 5, 7};
static const char *const SHAPES[2][FACES] = {
    {"ox", "x./xo", "xox", "ox/xx", "xox/.x.", ".xx/ox."},
    {"xxox", "x./o./xx", "xx/xo/x.", "x.x/xox", "x../x../oxx", "xxxo/x..."}
};

static Face dice[2][FACES];
static int number[ROWS][COLUMNS], coloured[ROWS];

typedef struct { int count, column[MOST_SQUARES], row[MOST_SQUARES], circle[MOST_SQUARES]; } Drawing;

static int order_numbers(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Move a drawing to the lower left and put its squares in order, column by column. */
static void settle(Drawing *d)
{
    int left = 99, low = 99, squares[MOST_SQUARES];
    for (int i = 0; i < d->count; i++) {
        if (d->column[i] < left) left = d->column[i];
        if (d->row[i] < low) low = d->row[i];
    }
    for (int i = 0; i < d->count; i++)
        squares[i] = (d->column[i] - left) * 32 + (d->row[i] - low) * 2 + d->circle[i];
    qsort(squares, d->count, sizeof *squares, order_numbers);
    for (int i = 0; i < d->count; i++)
        d->column[i] = squares[i] / 32, d->row[i] = squares[i] / 2 % 16, d->circle[i] = squares[i] % 2;
}

/* Return a number less than, equal to or greater than 0 as a comes before b, is the same or comes after it. */
static int compare_orientations(const Orientation *a, const Orientation *b)
{
    for (int i = 0; i < MOST_SQUARES; i++)
        if (a->squares[i] != b->squares[i]) return a->squares[i] - b->squares[i];
    return 0;
}

/* Add a drawing to the orientations of a face: a new orientation, a new place of the circle in one, or nothing. */
static void add_drawing(Face *face, const Drawing *d)
{
    Orientation made = {0}, *o = face->orientations, *end = o + face->count;
    int circle = 0, mark = 0;
    for (int j = 0; j < WIDEST; j++) made.bottom[j] = 99, made.top[j] = -1;
    for (int i = 0; i < d->count; i++) {
        int c = d->column[i], r = d->row[i];
        made.squares[i] = c * 16 + r;
        made.rows[c] |= 1u << r;
        made.across[r] |= 1u << c;
        made.filled[c]++;
        if (r < made.bottom[c]) made.bottom[c] = r;
        if (r > made.top[c]) made.top[c] = r;
        if (c + 1 > made.width) made.width = c + 1;
        if (r + 1 > made.height) made.height = r + 1;
        if (d->circle[i]) circle = i;
    }
    while (o < end && compare_orientations(o, &made) < 0) o++;
    if (o == end || compare_orientations(o, &made) > 0) {
        memmove(o + 1, o, (end - o) * sizeof *o);
        *o = made, face->count++;
    }
    int c = d->column[circle], r = d->row[circle];
    while (mark < o->marks && o->mark_row[mark] * 16 + o->mark_column[mark] < r * 16 + c) mark++;
    if (mark < o->marks && o->mark_row[mark] == r && o->mark_column[mark] == c) return;
    for (int m = o->marks++; m > mark; m--)
        o->mark_column[m] = o->mark_column[m - 1], o->mark_row[m] = o->mark_row[m - 1];
    o->mark_column[mark] = c, o->mark_row[mark] = r;
}

static void read_tables(void)
{
    for (int r = 0; r < ROWS; r++) {
        coloured[r] = -1;
        for (int c = 0; c < COLUMNS; c++) {
            char printed = NUMBERS[ROWS - 1 - r][c];
            number[r][c] = printed == '.' ? 0 : printed - '0';
        }
    }
    for (int i = 0; i < COLOURED; i++) coloured[COLOURED_ROWS[i]] = i;
    for (int die = 0; die < 2; die++)
        for (int f = 0; f < FACES; f++) {
            Drawing d = {0};
            int row = 0, column = 0;
            for (const char *c = SHAPES[die][f]; *c; c++) {
                if (*c == '/') { row--, column = 0; continue; }
                if (*c != '.') {
                    d.row[d.count] = row, d.column[d.count] = column, d.circle[d.count] = *c == 'o';
                    d.count++;
                }
                column++;
            }
            for (int turn = 0; turn < 8; turn++) { /* a quarter turn each; half way a reflection instead */
                for (int i = 0; i < d.count; i++) {
                    int r = d.row[i], c = d.column[i];
                    d.row[i] = turn == 4 ? r : c;
                    d.column[i] = turn == 4 ? -c : -r;
                }
                settle(&d);
                add_drawing(&dice[die][f], &d);
            }
        }
}

typedef struct { uint32_t word[4]; } Words;

/* Random bits for a purpose and seat + 1 in a round of a block: Philox4x32 with ten rounds. */
static inline Words draw_words(uint64_t seed, uint32_t block, uint32_t purpose, uint32_t seat, uint32_t round)
{
    uint32_t c0 = 0, c1 = round, c2 = purpose << 8 | seat, c3 = block, k0 = seed, k1 = seed >> 32;
    for (int i = 0; i < 10; i++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
        uint64_t p0 = (uint64_t)0xd2511f53u * c0, p1 = (uint64_t)0xcd9e8d57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = p1, c3 = p0;
    }
    return (Words){{c0, c1, c2, c3}};
}

/* A number below n from random bits. */
static inline uint32_t below(uint32_t n, uint32_t word) { return (uint64_t)word * n >> 32; }

static inline Lanes lanes_at(const int16_t *columns)
{
    Lanes lanes;
    memcpy(&lanes, columns, sizeof lanes);
    return lanes;
}

/* The union of all lanes. */
static inline int unite(Lanes lanes)
{
    uint64_t half[2];
    memcpy(half, &lanes, sizeof half);
    half[0] |= half[1];
    half[0] |= half[0] >> 32;
    return (half[0] | half[0] >> 16) & 0xffff;
}

static const Lanes COLUMN = {0, 1, 2, 3, 4, 5, 6, 7}, BIT = {1, 2, 4, 8, 16, 32, 64, 128};

/* Find where an orientation comes to rest, for each column of its left edge, and where that is legal. */
static inline void find_spots(const Sheet *sheet, const Orientation *o, Spots *spots)
{
    const int16_t rightmost = COLUMNS - o->width, highest = ROWS - o->height;
    Lanes row = {0}, fits = row == (int16_t)sheet->closed; /* the first shape needs no contact */
    for (int j = 0; j < o->width; j++) {
        Lanes rest = lanes_at(sheet->height + MARGIN + j) - o->bottom[j];
        Lanes higher = rest > row;
        row = (rest & higher) | (row & ~higher);
    }
    for (int j = 0; j < o->width; j++) {
        Lanes height = lanes_at(sheet->height + MARGIN + j);
        Lanes beside = lanes_at(sheet->drawn + j) | lanes_at(sheet->drawn + j + 2 * MARGIN);
        fits |= (height > 0) & (height == row + o->bottom[j]);
        /* Squares beside others matter only where it lies on the bottom edge: elsewhere it stands on one. */
        fits |= (row == 0) & ((beside & o->rows[j]) != 0);
    }
    fits &= (COLUMN <= rightmost) & (row <= highest) & BIT;
    spots->row = row;
    spots->legal = unite(fits);
}

/* Find spot n, counted from 0 row by row. */
static inline void find_nth_spot(const Spots *spots, int n, int *x, int *y)
{
    for (*y = 0;; ++*y) {
        unsigned here = spots->legal & unite((spots->row == (int16_t)*y) & BIT);
        int count = __builtin_popcount(here);
        if (n >= count) { n -= count; continue; }
        while (n--) here &= here - 1;
        *x = __builtin_ctz(here);
        return;
    }
}

typedef struct { int first[COLOURED], completed[COLOURED][SEATS]; } Rows; /* the turns of the completed rows, or -1 */

/* Draw a shape on the sheet of a seat. */
static inline void draw_shape(
    Sheet *sheet, const Orientation *o, int x, int y, int mark, int turn, int seat, Rows *rows)
{
    for (int j = 0; j < o->width; j++) {
        int height = y + o->top[j] + 1, raised = height - sheet->height[MARGIN + x + j];
        sheet->height[MARGIN + x + j] = height;
        sheet->closed += raised;
        sheet->gaps += raised - o->filled[j];
        sheet->drawn[MARGIN + x + j] |= o->rows[j] << y;
    }
    for (int r = 0; r < o->height; r++) {
        int at = coloured[y + r];
        sheet->missing[y + r] &= ~(o->across[r] << x);
        if (at < 0 || sheet->missing[y + r]) continue;
        sheet->rows++;
        sheet->row_points += rows->first[at] < 0 || rows->first[at] == turn ? FIRST_TO_COMPLETE : LATER_TO_COMPLETE;
        rows->completed[at][seat] = turn;
        if (rows->first[at] < 0) rows->first[at] = turn;
    }
    if (mark < 0) return;
    int column = x + o->mark_column[mark], row = y + o->mark_row[mark];
    sheet->circles[row] |= 1 << column;
    sheet->numbers += number[row][column] > 0;
    sheet->number_points += number[row][column];
}

/* Play a game, write down its result, and return how many shapes were drawn. */
static int play(uint64_t seed, uint32_t block, Result *result)
{
    Sheet sheets[SEATS];
    Rows rows;
    int shapes = 0, forfeits = 0, turn;
    memset(sheets, 0, sizeof sheets);
    memset(&rows, -1, sizeof rows);
    for (int seat = 0; seat < SEATS; seat++)
        for (int r = 0; r < ROWS; r++) sheets[seat].missing[r] = (1 << COLUMNS) - 1;
    for (turn = 0; forfeits < 2; turn++) {
        Words roll = draw_words(seed, block, PURPOSE_DICE, 0, turn);
        const Face *rolled[2] = {&dice[0][below(FACES, roll.word[0])], &dice[1][below(FACES, roll.word[1])]};
        int taken = -1;
        forfeits = 0;
        for (int acted = 0; acted < SEATS; acted++) {
            int seat = (turn + acted) % SEATS;
            Sheet *sheet = &sheets[seat];
            Spots spots[2 * MOST_ORIENTATIONS];
            int total = 0, n = 0;
            for (int die = 0; die < 2; die++)
                for (int i = 0; i < rolled[die]->count; i++, n++) {
                    const Orientation *o = &rolled[die]->orientations[i];
                    find_spots(sheet, o, &spots[n]);
                    total += __builtin_popcount(spots[n].legal) * (die == taken ? 1 : o->marks);
                }
            if (!total) { forfeits++; continue; }
            int left = below(total, draw_words(seed, block, PURPOSE_STRATEGY, seat + 1, turn).word[0]);
            n = 0;
            for (int die = 0; die < 2; die++)
                for (int i = 0; i < rolled[die]->count; i++, n++) {
                    const Orientation *o = &rolled[die]->orientations[i];
                    int each = die == taken ? 1 : o->marks, actions = __builtin_popcount(spots[n].legal) * each;
                    if (left >= actions) { left -= actions; continue; }
                    int x, y, mark = die == taken ? -1 : left % each;
                    find_nth_spot(&spots[n], left / each, &x, &y);
                    draw_shape(sheet, o, x, y, mark, turn, seat, &rows);
                    if (!acted) taken = die;
                    shapes++;
                    goto drawn;
                }
        drawn:;
        }
    }
    result->rounds = turn;
    result->plies = turn * (SEATS + 1);
    for (int seat = 0; seat < SEATS; seat++) {
        const Sheet *sheet = &sheets[seat];
        int blanks = COLUMNS * ROWS - sheet->closed, *count = result->count[seat], *points = result->points[seat];
        count[COMPLETED_ROWS] = sheet->rows, points[COMPLETED_ROWS] = sheet->row_points;
        count[NUMBERS_CIRCLED] = sheet->numbers, points[NUMBERS_CIRCLED] = sheet->number_points;
        count[GAPS] = sheet->gaps, points[GAPS] = -sheet->gaps;
        count[BLANKS] = blanks, points[BLANKS] = -blanks;
    }
    return shapes;
}

int main(int count, char **arguments)
{
    static Result results[PIECE];
    double seconds = count > 1 ? atof(arguments[1]) : 2;
    uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    int64_t score[SEATS] = {0}, shapes = 0, games = 0;
    double best = 0, spent = 0;
    read_tables();
    while (spent < seconds) { /* the best of many pieces: other work on the machine disturbs little */
        clock_t started = clock();
        for (int i = 0; i < PIECE; i++, games++) shapes += play(seed, games, &results[i]);
        double piece = (double)(clock() - started) / CLOCKS_PER_SEC;
        spent += piece;
        if (PIECE / piece > best) best = PIECE / piece;
        for (int i = 0; i < PIECE; i++)
            for (int seat = 0; seat < SEATS; seat++)
                for (int part = 0; part < PARTS; part++) score[seat] += results[i].points[seat][part];
    }
    printf("%lld %.0f %.9f", (long long)games, best, (double)shapes / games);
    for (int seat = 0; seat < SEATS; seat++) printf(" %.9f", (double)score[seat] / games);
    printf("\n");
    return 0;
}
