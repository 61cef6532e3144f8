namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>A cell or figure in which another pool is ahead in only one of the two runs, by more than noise.</summary>
/// <param name="Where">The cell or figure.</param>
/// <param name="Rival">The other pool.</param>
/// <param name="Then">Poolhouse and the other pool in the earlier run.</param>
/// <param name="Now">The same in this run.</param>
/// <param name="IsNew">Whether the loss is in this run.</param>
internal sealed record LossChange(string Where, string Rival, string Then, string Now, bool IsNew)
{
    public string Judgement => IsNew ? "new" : "gone";
}
