" Written by `python -m docs.generator` from the table of the language: do not edit.
if exists("b:current_syntax")
  finish
endif

setlocal iskeyword=@,48-57,_,-,.
setlocal comments=:# commentstring=#\ %s expandtab shiftwidth=2

syntax match evallangNumber /\<-\?\d[0-9_]*\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?\%(%\|\/\d\+\)\?/
syntax match evallangClass /\<\u\w*\>/
syntax keyword evallangMember 5x2cv 5x2cv_f 5x2cv_t accuracy agreement agresti_coull agresti_min average_precision balanced_accuracy bayes_mcnemar bayes_sign bayes_signed_rank bayes_t bergmann_hommel bias_variance binomial bonett_price bonferroni bonferroni_dunn bootstrap bradley_terry break_even_point brier calibration calibration_intercept calibration_slope clopper_pearson cochran cohen_kappa concordance confusion corrected_rate corrected_t cost cost_curve cost_curve_area cost_frontier coverage cv cv_auc cv_clt d2 decision_curve delong delta det diebold_mariano ece error_rate f1 fbeta fdr_bh fdr_by finner fleiss_kappa friedman friedman_aligned hochberg holdout holm holm_sidak hommel interval_score interval_width jaccard jackknife jeffreys kendall kfold_t krippendorff_alpha lang_reiczigel leaderboard learning_curve leave_one_group_out leave_one_out leave_p_out li log_loss looney_f macro_f1_pr mae mape mase max_error max_t mcc mcnemar mean_average_precision mean_reciprocal_rank medae mse multiclass_auc ndcg nemenyi nested nested_cv net_benefit newcombe newcombe_independent newey_west noninferiority normalized_cost npv obuchowski_rockette paired_recalls paired_wald pass_all pass_at permutation pinball power pr precision proportions_z quade r2 ranking_loss recall repeated repeated_cv repeated_holdout resampled_t resubstitution rmse roc roc_auc sandwich seeds sensitivity shaffer sidak sign single_t smape spearman specificity stability stratified_t sum_of_shares t takahashi tango target_permutation time_series top_k_accuracy tost tuning uncorrected variance wald westfall wilcoxon wild_clusters wilson win_rate
syntax keyword evallangBetween across against as at averaged better by equivalent except exploratory frame from in inspect is log loguniform not of on order over ratio results select sklearn split sql sqrt step than then uniform vs with within worse
syntax match evallangBetween /\<\%(missing\|to\|truth\)\k\@!/
syntax keyword evallangValue a4 all ama apa bayes best classification columns common csv docx false grid html ieee jmlr latex letter main markdown nature nejm neurips none one_standard_error passthrough pdf random read regression sci separate supplement together true
syntax match evallangValue /\<\%(data\|rows\|target\)\k\@!/
syntax match evallangStatement /^\%(analyze\|battles\|compare\|counts\|data\|evallang\|export\|group\|include\|let\|measure\|model\|predictions\|protocol\|report\|require\|scores\|stratify\|study\|tune\|use\)\k\@!/
syntax match evallangClause /^\s\+\zs\%(about\|alpha\|author\|baseline\|bibliography\|categorical\|cite\|confidence\|correct\|count\|dataset\|event\|families\|features\|figures\|filter\|first\|fold\|folds\|group\|hide\|higher\|id\|interval\|judge\|judges\|logits\|looks\|lower\|metric\|missing\|model\|models\|numbers\|page\|part\|pattern\|positive\|query\|question\|range\|reader\|repeat\|right\|rows\|samples\|score\|scorer\|scores\|second\|seed\|show\|style\|table\|target\|task\|template\|threshold\|time\|title\|to\|truth\|unfinished\|unit\|value\|weight\|where\|winner\)\k\@!/
syntax region evallangText start=/"/ skip=/\\./ end=/"/ oneline
syntax match evallangComment /#.*$/ contains=evallangWaiver,@Spell
syntax match evallangWaiver /#\s*evallang:\s*allow\>/ contained

highlight default link evallangStatement Statement
highlight default link evallangClause Type
highlight default link evallangBetween Keyword
highlight default link evallangValue Constant
highlight default link evallangMember Function
highlight default link evallangClass Structure
highlight default link evallangNumber Number
highlight default link evallangText String
highlight default link evallangComment Comment
highlight default link evallangWaiver Special

let b:current_syntax = "evallang"
