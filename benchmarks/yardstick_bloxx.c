/* What C makes of BLOXX! for four on the standard sheet, every legal action equally likely.
 *
 * A shape falls straight down, so an orientation has at most one place for each column of its left edge. Where it comes
 * to rest is worked out for all columns at once, in vectors of eight columns. No kernel shares anything with this file:
 * the kernel tests all rows, because in other rulesets shapes may hang.
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
    MOST_ORIENTATIONS = 8,
    FIRST_TO_COMPLETE = 4,
    LATER_TO_COMPLETE = 2
};

typedef struct {
    int width, height, marks;
    int mark_column[WIDEST], mark_row[WIDEST];
    int16_t bottom[WIDEST];  /* lowest row of a column */
    int16_t top[WIDEST];     /* highest row of a column */
    int16_t rows[WIDEST];    /* rows of the squares of a column */
    int16_t across[WIDEST];  /* columns of the squares of a row */
    int squares;
} Orientation;

typedef struct { int count; Orientation orientations[MOST_ORIENTATIONS]; } Face;

typedef struct {
    int16_t height[PADDED]; /* of a column: one more than its highest drawn row */
    int16_t drawn[PADDED];  /* drawn rows of a column */
    int16_t missing[ROWS];  /* columns of a row that are not drawn */
    int drawn_squares, points;
} Sheet;

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

typedef struct { int count, column[5], row[5], circle[5]; } Drawing;

static int order_squares(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Move a drawing to the lower left and put its squares in order. */
static void settle(Drawing *d)
{
    int left = 99, low = 99, squares[5];
    for (int i = 0; i < d->count; i++) {
        if (d->column[i] < left) left = d->column[i];
        if (d->row[i] < low) low = d->row[i];
    }
    for (int i = 0; i < d->count; i++)
        squares[i] = (d->row[i] - low) * 32 + (d->column[i] - left) * 2 + d->circle[i];
    qsort(squares, d->count, sizeof *squares, order_squares);
    for (int i = 0; i < d->count; i++)
        d->row[i] = squares[i] / 32, d->column[i] = squares[i] / 2 % 16, d->circle[i] = squares[i] % 2;
}

/* Add a drawing to the orientations of a face: a new orientation, a new place of the circle in one, or nothing. */
static void add_drawing(Face *face, const Drawing *d)
{
    Orientation made = {0}, *o;
    int circle = 0;
    for (int j = 0; j < WIDEST; j++) made.bottom[j] = 99, made.top[j] = -1;
    for (int i = 0; i < d->count; i++) {
        int c = d->column[i], r = d->row[i];
        made.rows[c] |= 1u << r;
        made.across[r] |= 1u << c;
        if (r < made.bottom[c]) made.bottom[c] = r;
        if (r > made.top[c]) made.top[c] = r;
        if (c + 1 > made.width) made.width = c + 1;
        if (r + 1 > made.height) made.height = r + 1;
        if (d->circle[i]) circle = i;
    }
    made.squares = d->count;
    for (o = face->orientations; o < face->orientations + face->count; o++)
        if (!memcmp(o->rows, made.rows, sizeof made.rows)) break;
    if (o == face->orientations + face->count) *o = made, face->count++;
    for (int m = 0; m < o->marks; m++)
        if (o->mark_column[m] == d->column[circle] && o->mark_row[m] == d->row[circle]) return;
    o->mark_column[o->marks] = d->column[circle];
    o->mark_row[o->marks++] = d->row[circle];
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

static uint64_t luck;

/* A number below n, from a splitmix64. */
static uint32_t below(uint32_t n)
{
    uint64_t z = luck += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint64_t)(uint32_t)((z ^ (z >> 31)) >> 32) * n >> 32;
}

static inline Lanes lanes_at(const int16_t *columns)
{
    Lanes lanes;
    memcpy(&lanes, columns, sizeof lanes);
    return lanes;
}

/* Find where an orientation comes to rest, for each column of its left edge, and where that is legal. */
static inline void find_spots(const Sheet *sheet, const Orientation *o, Spots *spots)
{
    static const Lanes column = {0, 1, 2, 3, 4, 5, 6, 7}, bit = {1, 2, 4, 8, 16, 32, 64, 128};
    const int16_t rightmost = COLUMNS - o->width, highest = ROWS - o->height;
    Lanes row = {0}, fits = row == (int16_t)sheet->drawn_squares; /* the first shape needs no contact */
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
    fits &= (column <= rightmost) & (row <= highest) & bit;
    spots->row = row;
    spots->legal = 0;
    for (int x = 0; x < COLUMNS; x++) spots->legal |= fits[x];
}

/* Draw a shape; `completed` are the turns in which rows were first completed, or -1. */
static void draw_shape(Sheet *sheet, const Orientation *o, int x, int y, int mark, int turn, int completed[COLOURED])
{
    for (int j = 0; j < o->width; j++) {
        sheet->height[MARGIN + x + j] = y + o->top[j] + 1;
        sheet->drawn[MARGIN + x + j] |= o->rows[j] << y;
    }
    for (int r = 0; r < o->height; r++) {
        int at = coloured[y + r];
        sheet->missing[y + r] &= ~(o->across[r] << x);
        if (at < 0 || sheet->missing[y + r]) continue;
        if (completed[at] < 0) completed[at] = turn;
        sheet->points += completed[at] == turn ? FIRST_TO_COMPLETE : LATER_TO_COMPLETE;
    }
    if (mark >= 0) sheet->points += number[y + o->mark_row[mark]][x + o->mark_column[mark]];
    sheet->drawn_squares += o->squares;
}

/* Play a game; add the scores of the seats, and return how many shapes were drawn. */
static int play(int64_t score[SEATS])
{
    Sheet sheets[SEATS];
    int completed[COLOURED] = {-1, -1, -1, -1}, shapes = 0, forfeits = 0;
    memset(sheets, 0, sizeof sheets);
    for (int seat = 0; seat < SEATS; seat++)
        for (int r = 0; r < ROWS; r++) sheets[seat].missing[r] = (1 << COLUMNS) - 1;
    for (int turn = 0; forfeits < 2; turn++) {
        const Face *rolled[2] = {&dice[0][below(FACES)], &dice[1][below(FACES)]};
        int taken = -1;
        forfeits = 0;
        for (int acted = 0; acted < SEATS; acted++) {
            Sheet *sheet = &sheets[(turn + acted) % SEATS];
            Spots spots[2 * MOST_ORIENTATIONS];
            int total = 0, n = 0;
            for (int die = 0; die < 2; die++)
                for (int i = 0; i < rolled[die]->count; i++, n++) {
                    const Orientation *o = &rolled[die]->orientations[i];
                    find_spots(sheet, o, &spots[n]);
                    total += __builtin_popcount(spots[n].legal) * (die == taken ? 1 : o->marks);
                }
            if (!total) { forfeits++; continue; }
            int left = below(total);
            n = 0;
            for (int die = 0; die < 2; die++)
                for (int i = 0; i < rolled[die]->count; i++, n++) {
                    const Orientation *o = &rolled[die]->orientations[i];
                    int each = die == taken ? 1 : o->marks, actions = __builtin_popcount(spots[n].legal) * each;
                    if (left >= actions) { left -= actions; continue; }
                    unsigned legal = spots[n].legal;
                    for (int k = left / each; k--;) legal &= legal - 1;
                    int x = __builtin_ctz(legal), mark = die == taken ? -1 : left % each;
                    draw_shape(sheet, o, x, spots[n].row[x], mark, turn, completed);
                    if (!acted) taken = die;
                    shapes++;
                    goto drawn;
                }
        drawn:;
        }
    }
    for (int seat = 0; seat < SEATS; seat++)
        score[seat] += sheets[seat].points - (COLUMNS * ROWS - sheets[seat].drawn_squares);
    return shapes;
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : 2;
    int64_t score[SEATS] = {0}, shapes = 0, games = 0;
    double best = 0, spent = 0;
    luck = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    read_tables();
    while (spent < seconds) { /* the best of pieces of 2,000 games: other work on the machine disturbs little */
        clock_t started = clock();
        for (int i = 0; i < 2000; i++, games++) shapes += play(score);
        double piece = (double)(clock() - started) / CLOCKS_PER_SEC;
        spent += piece;
        if (2000 / piece > best) best = 2000 / piece;
    }
    printf("%lld %.0f %.4f", (long long)games, best, (double)shapes / games);
    for (int seat = 0; seat < SEATS; seat++) printf(" %.4f", (double)score[seat] / games);
    printf("\n");
    return 0;
}
