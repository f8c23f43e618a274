"""What each view of the page asks, and how it is read: two or three sentences and the equation."""

from collections.abc import Mapping
from dataclasses import dataclass

TABLE_SOURCE = "Vaswani et al. 2017, section 3.5. Positions and dimensions count from 0, as in the formula."
CENTRED = r"\tilde P = P - \tfrac{1}{|T|}\sum_{t \in T} P(t)"


@dataclass(frozen=True, slots=True)
class Text:
    """The words of a view."""

    name: str
    """In the choice of views."""
    question: str
    text: str
    equation: str
    source: str = TABLE_SOURCE


TEXTS: Mapping[str, Text] = {
    "table": Text(
        "Table",
        "What stands in the table of positions?",
        "Each column is the vector that is added to the embedding of whatever stands at that position, a dimension a "
        "row. "
        "Sinusoids come in pairs of rows that swing alike, the slower the higher up; a learned table holds what "
        "training has left in it. "
        "The margin says which columns training has touched: compare them with those that it has not.",
        r"x_t = \sqrt{d}\,E(w_t) + P(t), \quad P(t)_{2i} = \sin(t / 10000^{2i/d}), \; P(t)_{2i+1} = \cos(\dots)",
    ),
    "waves": Text(
        "Waves",
        "How does a dimension run along the positions?",
        "Each line is one row of the table. "
        "A sinusoid repeats after its wavelength, which grows from 2π to almost 10000·2π positions with the dimension. "
        "In a learned table look for how smooth a line is where positions were trained, and how it goes on behind.",
        r"\lambda_i = 2\pi \cdot 10000^{2i/d}",
    ),
    "pairs": Text(
        "Pairs",
        "How alike are two positions?",
        "A cell is the product of the vectors of two positions. "
        "Where it depends on the distance alone, all diagonals are of one colour. "
        "With the mean row taken away, what all positions have in common is gone, and negative products show.",
        r"P P^\top, \qquad \cos = \frac{P(s) \cdot P(t)}{\lVert P(s) \rVert \lVert P(t) \rVert}, \qquad " + CENTRED,
    ),
    "distance": Text(
        "By distance",
        "Does the product depend on the distance alone?",
        "The line is the mean over all pairs of positions at a distance, the whiskers are the standard deviation over "
        "them. "
        "No whiskers: the product depends on nothing but the distance. "
        "The longer they are, the more it matters where the two stand.",
        r"\sin\omega s \sin\omega t + \cos\omega s \cos\omega t = \cos\omega(s - t)",
    ),
    "shift": Text(
        "Shift",
        "Is a step to the side a linear map?",
        "For each shift k a linear map from P(p) to P(p + k) is fitted on half of the positions; the line is its error "
        "on the other half, with the deviation over four such halves. "
        "0 is exact, 1 is no better than always giving the mean. "
        "A random table with rows of the same norms shows what a fit gives that has found nothing: with fewer "
        "positions than dimensions every table is fitted exactly on the half that is seen.",
        r"\min_{M,\,m} \sum_{p} \lVert M P(p) + m - P(p + k) \rVert^2",
    ),
    "plane": Text(
        "Plane",
        "How do the positions lie to each other?",
        "Each mark is a position on the plane in which those that were well trained vary most; the line goes through "
        "them in order. "
        "The axes say how much of the variance the plane shows: what is left does not show here. "
        "Marks that are not filled were rarely or never trained, and had no part in choosing the plane unless all "
        "positions are taken.",
        r"\tilde P = U S V^\top, \qquad (\tilde P V)_{1,2}",
    ),
    "norms": Text(
        "Norms",
        "How long are the vectors?",
        "The norm of each row. "
        "Sinusoids all have the same, the root of half the width. "
        "In a learned table a difference between the parts of the margin is what training has changed, or has not.",
        r"\lVert P(t) \rVert = \sqrt{\textstyle\sum_i P(t)_i^2}",
    ),
    "spectrum": Text(
        "Spectrum",
        "How fast does each dimension swing?",
        "Each row is one dimension, and its colours are the shares of its variance at each frequency, over the "
        "positions from 0 to the last that is taken. "
        "A sinusoid whose wavelength fits in has a bright cell or two; a longer one shows as a drift at the left. "
        "A row without a bright cell swings in no regular way.",
        r"\frac{|\hat P_i(f)|^2}{\sum_{f' > 0} |\hat P_i(f')|^2}",
    ),
    "training": Text(
        "Training",
        "How often was each position trained?",
        "The lines count how often a position occurred in training, on each side, end of sentence included. "
        "The count falls with the position, for long sentences are rare. "
        "The margin says in words what the lines say in numbers.",
        r"n_t = |\{\text{training sentences of more than } t \text{ pieces}\}|",
    ),
    "head": Text(
        "A head's use",
        "What does a head make of the positions?",
        "The first map is the product of the vectors themselves, the second what the head computes from them: its own "
        "projections lie in between. "
        "A bright diagonal beside the middle means that, as far as positions go, the head looks so many tokens back or "
        "ahead. "
        "Content and biases are left out here, and the mean row of the table is taken away in both.",
        r"\tilde P\, W_Q W_K^\top \tilde P^\top / \sqrt{d_k} \quad \text{beside} \quad \tilde P \tilde P^\top, \qquad "
        + CENTRED,
        "Exact in the first self-attention layer of post-norm models alone: later layers see no pure positions.",
    ),
    "sentence": Text(
        "In the sentence",
        "Does a score come from the place or from the word?",
        "Each score is the sum of nine terms: content, position or constant part of the query times that of the key; "
        "constant are the biases and the table's mean row. "
        "The shares say how much of a head's variation over the keys each term carries: they add up to 1, and a "
        "negative one works against the others. "
        "Terms with a constant key are the same for all keys, so the softmax takes them away, and they have no share.",
        r"s_{ij} = (c_i + \tilde p_i + b_q)^\top (c_j + \tilde p_j + b_k) / \sqrt{d_k}, \qquad "
        r"\text{share} = \frac{\sum_i \mathrm{cov}_j(\text{term}_{ij}, s_{ij})}{\sum_i \mathrm{var}_j(s_{ij})}",
        "Exact in the first self-attention layer of post-norm models alone. Every row counts, the end of sentence too.",
    ),
    "corpus": Text(
        "Over a corpus",
        "Place or word: over many sentences?",
        "The shares of the same terms, over all rows of many sentences, which are named below; a column is a head. "
        "The second map is the standard deviation over these sentences: a share is a habit of the head where it is "
        "large and its deviation small.",
        r"\text{share} = \frac{\sum_{i} \mathrm{cov}_j(\text{term}_{ij}, s_{ij})}{\sum_{i} \mathrm{var}_j(s_{ij})}",
        "Exact in the first self-attention layer of post-norm models alone.",
    ),
    "heads": Text(
        "Heads by distance",
        "How far away does each head look?",
        "A tile has the mean weight of a head's links at each distance, key minus query, over the sentences that are "
        "named below; a click draws its line, with the standard deviation over links. "
        "One strong column is a head that looks so many tokens back or ahead wherever it stands; where the deviation "
        "is as large as the mean, the distance alone does not decide. "
        "In cross-attention distance is the place in the source minus that in the target.",
        r"\bar a(\delta) = \frac{1}{|L_\delta|} \sum_{(i,j) \in L_\delta} a_{ij}, \qquad "
        r"L_\delta = \{(i, j) : j - i = \delta\}",
        "Links to or from the end of sentence and the start symbol are left out.",
    ),
    "changes": Text(
        "Positions changed",
        "What if all sentences had other positions?",
        "The loss is how much more a piece of the reference costs with changed positions, sentence by sentence; the "
        "other measures are of what is then translated. "
        "Where a change costs nothing, the model does not need what was changed: a shift of both sides keeps all "
        "distances. "
        "“Shuffled” gives every sentence the same wrong order; another checkpoint's positions are its whole table.",
        r"\Delta = \tfrac{1}{N} \sum_t \log p(y_t \mid P) - \log p(y_t \mid P')",
        "Teacher-forced loss without the end of sentence; BLEU of the checkpoint's own search (sacreBLEU). Intervals: "
        "bootstrap over distinct sources.",
    ),
    "layers": Text(
        "Read off the layers",
        "How long does the model keep the position?",
        "A linear probe is fitted to the states of half of the sentences, and R² is of the other half: 1 reads the "
        "position exactly, 0 does no better than the mean. "
        "The control is the same probe for a number drawn once for each piece: what it reads was learned by heart. "
        "Only what lies above the control is there as position.",
        r"R^2 = 1 - \frac{\sum (t - \hat t)^2}{\sum (t - \bar t)^2}",
        "Hewitt and Liang 2019. Ridge regression; the end of sentence and the start symbol are left out.",
    ),
    "attention": Text(
        "Two in the sentence",
        "Where do two checkpoints look differently?",
        "Both read the same sentence with the translation of the first; a tile is a head's map in the first less its "
        "map in the second, so violet is where the first looks more, orange where the second does. "
        "The number is the share of a row's weight that lies elsewhere: 0 is the same map, 1 has nothing in common. "
        "Heads of the same place need not do the same, even in twins: “Matched” puts beside each head the one that "
        "looks most like it over a corpus, and some match is always found.",
        r"D_{ij} = A_{ij} - B_{ij}, \qquad \tfrac{1}{2 N} \sum_{i} \sum_j |D_{ij}|",
        "N: rows. Where the two cut the text into other pieces, words are compared: the weights of a word's keys are "
        "summed, those of its rows averaged. One sentence is an anecdote: “Two compared” is over many.",
    ),
    "compared": Text(
        "Two compared",
        "Do two checkpoints differ by more than two trainings do?",
        "BLEU and chrF are of the same sentences, each translated in the checkpoint's own way; p is how often a "
        "difference as large comes up where there is none. "
        "Each mark is a head with the one that it was matched with on half of the sentences, and how far apart their "
        "attention is on the other half: 0 is equal, ln 2 has nothing in common. "
        "Some match is always found, so a mean says something only beside that of two trainings of one kind with other "
        "seeds.",
        r"\mathrm{JS}(a, b) = H(\tfrac{a + b}{2}) - \tfrac{H(a) + H(b)}{2}, \qquad "
        r"\min_\pi \textstyle\sum_h \mathrm{JS}(a_h, b_{\pi(h)})",
        "Paired bootstrap: Koehn 2004, over distinct sources; it is about these two models, not about other trainings. "
        "The end of sentence and the start symbol are left out of attention.",
    ),
    "length": Text(
        "By length",
        "What happens in longer sentences?",
        "Loss, BLEU, chrF and length by the length of sentences: of those that come so long, and of short ones that "
        "were joined, whose words are those of short sentences. "
        "BLEU of different lengths is not comparable: compare lines at one length. "
        "“To the reference's length” takes the model's own end of sentence away: the words that then still fail do not "
        "fail for want of length.",
        r"-\tfrac{1}{N} \sum_t \log p(y_t \mid y_{<t}, x)",
        "Lengths without any sentence stay empty. The margin says how often positions were trained.",
    ),
    "by_position": Text(
        "By position",
        "Does the loss rise where training ends?",
        "The mean loss of the pieces that the decoder writes at each position, with 1.96 standard errors. "
        "Late positions occur in long sentences alone, which differ in more than length: the joined ones have the "
        "words of short sentences. "
        "Compare both lines with the margin.",
        r"\ell(t) = -\tfrac{1}{N_t} \sum_{n} \log p(y^{(n)}_t \mid y^{(n)}_{<t}, x^{(n)})",
    ),
    "offsets": Text(
        "Offset",
        "What if a short sentence stood further on?",
        "The same short sentences, both sides moved by as many positions: content and length stay, positions alone "
        "change. "
        "Where the line leaves 0 by more than its interval, it is the positions that the model cannot use. "
        "A learned table ends: what lies past it is impossible.",
        r"\Delta(o) = \ell(P(t + o)) - \ell(P(t))",
    ),
    "experiment": Text(
        "The experiment",
        "Which kind goes further than it was trained?",
        "Small models were trained on sentences of at most 8 pieces a side, and others on as many tokens of all "
        "lengths; both kinds of positions begin with the same values of all else and read the same batches. "
        "Long sentences are harder for every model: what is lost by short training is the loss of the short trainings "
        "minus that of the others. "
        "Intervals draw seeds and sentences together; not apart is not equal.",
        r"\text{lost} = \ell_\text{short training} - \ell_\text{all lengths}, \qquad "
        r"\text{lost}_\text{learned} - \text{lost}_\text{sinusoidal}",
        "Beyond 8 pieces no position of these models was trained.",
    ),
    "what_if": Text(
        "What if",
        "Does it follow place or word?",
        "The words stay where they are; what they are told of their positions is changed. "
        "The wall shows the change of every head's attention in the translation that was found before. "
        "The number below a map is its lean to the places. "
        "It is 1 where the new map is the old one with rows and columns where their tokens now stand, as if the head "
        "went by places alone, and −1 where it is the old one as it was, as if it went by words alone; there is none "
        "where both would be the same, or a token stands where none stood. "
        "The encoder knows no order but that of positions: to exchange those of two tokens of the source is to it as "
        "if the tokens were exchanged.",
        r"\frac{d_\text{word} - d_\text{place}}{d_\text{word} + d_\text{place}}, \quad "
        r"d_\text{word} = \tfrac12 \sum_{ij} |A'_{ij} - A_{ij}|, \quad "
        r"d_\text{place} = \tfrac12 \sum_{ij} |A'_{ij} - A_{\pi(i)\pi(j)}|",
        "A: before, A′: after, π(i): where token i now stands. Rows of which both ask for the same are left out.",
    ),
    "formula": Text(
        "Formula",
        "How do width, length and base change it?",
        "A wavelength is how many positions a pair of dimensions takes to come back. "
        "Pairs above the line of the positions shown do not come back within them, so each of these positions has a "
        "value of its own there; pairs far below it tell neighbours apart and repeat often. "
        "A larger base makes the slow pairs slower, a larger width adds pairs between.",
        r"\lambda_i = 2\pi \cdot \mathrm{base}^{2i/d}",
        "Vaswani et al. 2017, section 3.5; Su et al. 2021; Press et al. 2022; Raffel et al. 2020. No checkpoint is "
        "used here.",
    ),
}

SCHEMES: Mapping[str, Text] = {
    "rotary": Text(
        "Rotary",
        "How far are queries and keys turned?",
        "There is no table: each pair of dimensions of queries and keys is turned by an angle that grows with the "
        "position. "
        "The product of a query and a key then depends on their distance alone; the last curve is how it falls where "
        "both are equal and all pairs weigh alike.",
        r"q_m^\top R_{n-m} k_n, \qquad \theta_i = \mathrm{base}^{-2i/d}",
        "Su et al. 2021, section 3.2.2.",
    ),
    "alibi": Text(
        "ALiBi",
        "How much does a distance cost?",
        "There is no table: what is added to each score falls with the distance, at a slope of each head's own. "
        "The steeper a line, the nearer a head has to look.",
        r"s_{ij} = q_i^\top k_j / \sqrt{d_k} - m_h |i - j|",
        "Press et al. 2022, section 3; nothing of it is trained.",
    ),
    "t5": Text(
        "T5",
        "How much does a distance add?",
        "There is no table: a trained number for each head and bucket of distances is added to the scores. "
        "Distances of one bucket share a step of the line.",
        r"s_{ij} = q_i^\top k_j / \sqrt{d_k} + b_{h,\,\mathrm{bucket}(j - i)}",
        "Raffel et al. 2020, section 2.1. All layers of a stack share these numbers.",
    ),
    "shaw": Text(
        "Shaw",
        "What stands for a distance?",
        "There is no table: a trained vector for each distance is added to the keys; the outermost stands for all that "
        "is further. "
        "The first chart has the norms of the vectors, the second what they add to the score of each query of the "
        "sentence above, with the head that is chosen.",
        r"s_{ij} = q_i^\top (k_j + a_{j-i}) / \sqrt{d_k}",
        "Shaw et al. 2018, equations 4 and 5; first layer.",
    ),
    "none": Text(
        "None",
        "What does it know of positions?",
        "There is nothing to draw: no vector, no angle, no bias.",
        r"x_t = \sqrt{d}\,E(w_t)",
        "What remains is the mask: a decoder that may not look ahead can tell how much it has read.",
    ),
}
"""What stands in the place of the table's views where there is no table."""
