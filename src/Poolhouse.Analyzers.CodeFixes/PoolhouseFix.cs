using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;

namespace Poolhouse.Analyzers.CodeFixes;

/// <summary>A fix for one finding: proposes changed trees, and only changes that are safe.</summary>
public abstract class PoolhouseFix : CodeFixProvider
{
    private protected PoolhouseFix(params string[] ids) => FixableDiagnosticIds = ids.ToImmutableArray();

    /// <inheritdoc/>
    public sealed override ImmutableArray<string> FixableDiagnosticIds { get; }

    /// <inheritdoc/>
    public sealed override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public sealed override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var document = context.Document;
        var root = await document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        var model = await document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false);
        if (root is null || model is null)
        {
            return;
        }

        foreach (var diagnostic in context.Diagnostics)
        {
            foreach (var proposal in Propose(new Finding(root, model, diagnostic)))
            {
                context.RegisterCodeFix(
                    CodeAction.Create(
                        proposal.Title, _ => Task.FromResult(document.WithSyntaxRoot(proposal.Change())),
                        equivalenceKey: proposal.Title),
                    diagnostic);
            }
        }
    }

    private protected abstract IEnumerable<Proposal> Propose(Finding finding);
}
