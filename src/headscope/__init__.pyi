"""Every public name of Headscope, once: editors complete from here, and `__init__.py` imports from here."""

from headscope.analysis.attribution.agreement import agreement as agreement
from headscope.analysis.attribution.alti import alti as alti
from headscope.analysis.attribution.attribute import attribute as attribute
from headscope.analysis.attribution.by_head import attention_by_head as attention_by_head
from headscope.analysis.attribution.contributions import head_contributions as head_contributions
from headscope.analysis.attribution.contributions import layer_contributions as layer_contributions
from headscope.analysis.attribution.faithfulness import faithfulness as faithfulness
from headscope.analysis.attribution.importance import gradient_importance as gradient_importance
from headscope.analysis.attribution.importance import removal_importance as removal_importance
from headscope.analysis.attribution.lens import logit_lens as logit_lens
from headscope.analysis.attribution.patching import patching as patching
from headscope.analysis.attribution.quantities import attention_of as attention_of
from headscope.analysis.attribution.registry import explained as explained
from headscope.analysis.attribution.rollout import rollout as rollout
from headscope.analysis.attribution.source_share import source_share as source_share
from headscope.analysis.capture.attention import attention_maps as attention_maps
from headscope.analysis.capture.pairs import sentence_pair as sentence_pair
from headscope.analysis.capture.query_key import query_key as query_key
from headscope.analysis.comparison.cka import layer_cka as layer_cka
from headscope.analysis.comparison.corpus import compared_corpus as compared_corpus
from headscope.analysis.comparison.heads import compared_head as compared_head
from headscope.analysis.comparison.heads import head_difference as head_difference
from headscope.analysis.comparison.naming import read_side as read_side
from headscope.analysis.comparison.sides import load_side as load_side
from headscope.analysis.comparison.translations import compared_translations as compared_translations
from headscope.analysis.corpus.aligning import alignment_errors as alignment_errors
from headscope.analysis.corpus.evaluation import evaluate as evaluate
from headscope.analysis.corpus.faithfulness_study import faithfulness_study as faithfulness_study
from headscope.analysis.corpus.faithfulness_study import load_faithfulness_study as load_faithfulness_study
from headscope.analysis.corpus.passage_trial import passage_trial as passage_trial
from headscope.analysis.corpus.passages import passage_support as passage_support
from headscope.analysis.corpus.ranking import rank_methods as rank_methods
from headscope.analysis.gallery.minimal_pairs import traced_pairs as traced_pairs
from headscope.analysis.gallery.record import load_gallery as load_gallery
from headscope.analysis.interventions.changed import changed as changed
from headscope.analysis.interventions.effects import effect as effect
from headscope.analysis.interventions.effects import what_if as what_if
from headscope.analysis.interventions.heads import MeanReplaced as MeanReplaced
from headscope.analysis.interventions.heads import Resampled as Resampled
from headscope.analysis.interventions.heads import UniformAttention as UniformAttention
from headscope.analysis.interventions.heads import Zeroed as Zeroed
from headscope.analysis.interventions.heads import contexts as contexts
from headscope.analysis.interventions.heads import mean_contexts as mean_contexts
from headscope.analysis.interventions.positions import Interpolated as Interpolated
from headscope.analysis.interventions.positions import Positionless as Positionless
from headscope.analysis.interventions.positions import Shifted as Shifted
from headscope.analysis.interventions.positions import Shuffled as Shuffled
from headscope.analysis.interventions.positions import Swapped as Swapped
from headscope.analysis.interventions.positions import exchanged as exchanged
from headscope.analysis.interventions.positions import moved as moved
from headscope.analysis.interventions.positions import repeated as repeated
from headscope.analysis.interventions.removal import removal as removal
from headscope.analysis.interventions.weights import WeightSet as WeightSet
from headscope.analysis.measures.alignment import read_gold as read_gold
from headscope.analysis.measures.head_measures import head_measures as head_measures
from headscope.analysis.measures.history import load_history as load_history
from headscope.analysis.measures.likeness import likeness as likeness
from headscope.analysis.measures.profile import head_profile as head_profile
from headscope.analysis.measures.profile import load_profile as load_profile
from headscope.analysis.measures.roles import roles as roles
from headscope.analysis.positions.comparison import compared_checkpoints as compared_checkpoints
from headscope.analysis.positions.geometry import shift_map as shift_map
from headscope.analysis.positions.relative import relative_positions as relative_positions
from headscope.analysis.positions.scores import corpus_shares as corpus_shares
from headscope.analysis.positions.scores import head_scores as head_scores
from headscope.analysis.positions.scores import score_terms as score_terms
from headscope.analysis.positions.side_by_side import attention_of_both as attention_of_both
from headscope.analysis.positions.study import load_position_study as load_position_study
from headscope.analysis.positions.study import position_study as position_study
from headscope.analysis.positions.table import position_table as position_table
from headscope.analysis.records.difference import difference as difference
from headscope.analysis.records.heads import Cell as Cell
from headscope.analysis.records.heads import Head as Head
from headscope.analysis.records.meeting import meet as meet
from headscope.analysis.records.special_tokens import hide_special as hide_special
from headscope.analysis.records.special_tokens import renormalised as renormalised
from headscope.analysis.records.words import words as words
from headscope.analysis.search.exact import exact_search as exact_search
from headscope.analysis.search.mbr import mbr as mbr
from headscope.analysis.search.report import search_report as search_report
from headscope.analysis.search.searching import sample as sample
from headscope.analysis.search.searching import search_record as search_record
from headscope.app.export.figure import matrix_figure as matrix_figure
from headscope.app.export.figure import wall_figure as wall_figure
from headscope.app.export.figure import what_if_figure as what_if_figure
from headscope.app.export.lines_figure import lines_figure as lines_figure
from headscope.app.export.tree_figure import tree_figure as tree_figure
from headscope.model.card import available as available
from headscope.model.errors import HeadscopeError as HeadscopeError
from headscope.model.network.probe import Probe as Probe
from headscope.model.network.probe import Probes as Probes
from headscope.model.search.constraints import Constraints as Constraints
from headscope.model.search.penalty import LengthPenalty as LengthPenalty
from headscope.model.search.settings import Sampling as Sampling
from headscope.model.search.settings import SearchSettings as SearchSettings
from headscope.model.translator import Translator as Translator
from headscope.model.translator import load_translator

__version__: str

load = load_translator
score = Translator.score
search = Translator.search
translate = Translator.translate
