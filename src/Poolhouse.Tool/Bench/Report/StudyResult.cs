using Poolhouse.Tool.Bench.Report.Summing;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>A study and its results, for the console and the page.</summary>
internal abstract record StudyResult
{
    public abstract Study Study { get; }

    /// <summary>What ended the study before all was measured; null: nothing, or the user.</summary>
    public string? Failure { get; init; }

    public abstract Verdict Verdict { get; }

    /// <summary>Poolhouse, the best other pool and no pool, as far as they were measured; empty without Poolhouse.</summary>
    public abstract IReadOnlyList<Standing> Standings { get; }

    /// <summary>What Poolhouse promises, as a sentence with a space behind it; empty if nothing.</summary>
    public virtual string Promise => "";

    /// <summary>Where another pool is ahead, as a sentence with a space before it; empty if nowhere.</summary>
    public abstract string LossText { get; }

    public abstract bool IsEmpty { get; }

    public abstract bool IsComplete { get; }

    /// <summary>In how many cells or figures another pool was ahead of Poolhouse by more than noise.</summary>
    public abstract int Lost { get; }

    /// <summary>A short description of the additional data in the CSV file.</summary>
    public abstract string Details { get; }

    public abstract IReadOnlyList<ChartGroup> Draw();

    /// <summary>The tables that the console prints.</summary>
    public abstract IReadOnlyList<Table> Tabulate();

    public abstract string WriteCsv();

    /// <summary>What the caption of its charts has to add for this machine.</summary>
    public virtual string NoteFor(Machine machine) => "";
}
