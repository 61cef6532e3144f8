using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Poolhouse.Analyzers.Tests.Harness;

/// <summary>Lines <c>key = value</c>, as an .editorconfig and the build properties give them.</summary>
internal sealed class ConfigOptions(string? lines) : AnalyzerConfigOptionsProvider
{
    private readonly Lines _lines = new((lines ?? "").Split('\n')
        .Select(line => line.Split('=', 2, StringSplitOptions.TrimEntries))
        .Where(parts => parts.Length == 2)
        .ToDictionary(parts => parts[0], parts => parts[1], StringComparer.Ordinal));

    public override AnalyzerConfigOptions GlobalOptions => _lines;

    public override AnalyzerConfigOptions GetOptions(SyntaxTree tree) => _lines;

    public override AnalyzerConfigOptions GetOptions(AdditionalText textFile) => _lines;

    private sealed class Lines(Dictionary<string, string> values) : AnalyzerConfigOptions
    {
        public override bool TryGetValue(string key, out string value) => values.TryGetValue(key, out value!);
    }
}
