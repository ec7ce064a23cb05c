# Harrell's index and its infinitesimal jackknife error, by the survival package of R.
# Run in this folder: Rscript concordance.R > concordance.csv
suppressMessages(library(survival))
data <- read.csv("../../../examples/data/survival.csv")
cat("column,weights,value,error,package\n")
version <- paste("survival", packageVersion("survival"))
for (column in c("cox_risk", "stage_risk")) {
  for (weighted in c(FALSE, TRUE)) {
    data$w <- if (weighted) data$patient %% 3 else 1
    used <- data[data$w > 0, ]
    found <- concordance(Surv(months, died) ~ used[[column]], data = used, weights = w,
                         reverse = TRUE)
    error <- if (weighted) NA else sqrt(found$var)
    cat(sprintf("%s,%s,%.15g,%.15g,%s\n", column, weighted, found$concordance, error, version))
  }
}
