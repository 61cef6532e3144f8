using Poolhouse.Tool.Tests.Report;

[assembly: AssemblyFixture(typeof(WholeReport))]

namespace Poolhouse.Tool.Tests.Report;

/// <summary>The run of everything that is measured by default, once for all tests that look at it, and its report.</summary>
public sealed class WholeReport : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly Lock _gate = new();
    private Task<ToolRun>? _run;

    /// <summary>Everything that the run reads and writes lies in this folder.</summary>
    public string At(params string[] parts) => _folder.At(parts);

    internal Task<ToolRun> GetRunAsync()
    {
        lock (_gate)
        {
            return _run ??= RunAsync();
        }
    }

    public void Dispose() => _folder.Dispose();

    private Task<ToolRun> RunAsync()
    {
        _folder.Write("input/a.txt", "<p>three little words</p>");
        _folder.Write("input/deeper/b.txt", "and more");
        return ToolRun.Of(
            "bench", "all", "--quick", "--threads", "1,2,4",
            "--input", At("input"), "--report", At("report"), "--json", At("x.json"));
    }
}
