using Microsoft.CodeAnalysis;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>A change of the whole file, made only if the user chooses it.</summary>
internal sealed class Proposal(string title, Func<SyntaxNode> change)
{
    public string Title => title;

    public Func<SyntaxNode> Change => change;
}
