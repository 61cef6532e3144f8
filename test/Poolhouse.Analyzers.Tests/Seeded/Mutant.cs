using Microsoft.CodeAnalysis.Text;

namespace Poolhouse.Analyzers.Tests.Seeded;

/// <summary>A correct source with one bug in it.</summary>
/// <param name="Rule">The id of the rule that the bug breaks.</param>
/// <param name="Title">The bug in words.</param>
/// <param name="IsClaimed">Whether a rule claims to find it.</param>
/// <param name="Source">The whole source, with the bug.</param>
/// <param name="Places">Where a finding is expected: in, or around, one of these.</param>
public sealed record Mutant(string Rule, string Title, bool IsClaimed, string Source, IReadOnlyList<TextSpan> Places)
{
    public override string ToString() => $"{Rule}: {Title}";
}
