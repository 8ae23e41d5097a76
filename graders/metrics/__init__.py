"""Measures of how well predictions fit the truth: `metric(truth, predicted, *, …) -> float`.

The name tells the direction: `*_score` is better high, `*_loss`, `*_error` and `*_distance` are better low. Inputs are
taken as they are: rows belong together by position, and what may be predicted at all is the toolkit's business. Figures
are those of scikit-learn 1.5 and scipy, which the tests hold them against.
"""

from graders.metrics.correlation import pearson_score, spearman_score
from graders.metrics.detection import levels_precision_score
from graders.metrics.hausdorff import hausdorff_distance
from graders.metrics.labelranking import label_ranking_precision_score
from graders.metrics.labels import accuracy_score, macro_f1_score, matthews_score, quadratic_kappa_score
from graders.metrics.lists import average_precision_at_score
from graders.metrics.order import kendall_score
from graders.metrics.overlap import dice_score, f_beta_score
from graders.metrics.probability import binary_log_loss, log_loss
from graders.metrics.ranking import average_precision_score, mean_roc_auc_score, roc_auc_score
from graders.metrics.regression import mean_absolute_error, root_mean_squared_error, root_mean_squared_log_error
from graders.metrics.sets import mean_f1_score, mean_jaccard_score, micro_f1_score
from graders.metrics.text import edit_distance, mean_edit_distance

__all__ = [
    "accuracy_score",
    "average_precision_at_score",
    "average_precision_score",
    "binary_log_loss",
    "dice_score",
    "edit_distance",
    "f_beta_score",
    "hausdorff_distance",
    "kendall_score",
    "label_ranking_precision_score",
    "levels_precision_score",
    "log_loss",
    "macro_f1_score",
    "matthews_score",
    "mean_absolute_error",
    "mean_edit_distance",
    "mean_f1_score",
    "mean_jaccard_score",
    "mean_roc_auc_score",
    "micro_f1_score",
    "pearson_score",
    "quadratic_kappa_score",
    "roc_auc_score",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "spearman_score",
]
