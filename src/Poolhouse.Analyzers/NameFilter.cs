using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Poolhouse.Analyzers;

/// <summary>Determines, by text and syntax alone, which bodies may rent or return an item.</summary>
// Binding bodies takes nearly all of the analyzer's time. The text of a file is searched once for the names, and the token at
// each place is inspected: a body is bound only for a name that is called, for the type of a variable and for a hook of a policy,
// not for a comment, a string, the type of a result or a longer name.
internal sealed class NameFilter
{
    // 'Rent' is also found in RentAsync, RentExact and TryRent.
    private static readonly string[] _itemNames =
    {
        "Rent", ".Return(", ".Get()", "Lease", "Detach", "GetStream", "PooledStream",
    };

    private static readonly string[] _policyNames =
    {
        "IsBroken(", "IsBrokenAfterIdle(", "NeedsReset(", "ResetAsync(", "assword", "redential", "ecret",
    };

    private readonly ConcurrentDictionary<SyntaxTree, int[]> _items = new();
    private readonly ConcurrentDictionary<SyntaxTree, int[]> _policies = new();

    /// <summary>Whether the body may rent, hold or return an item.</summary>
    public bool MayHoldItems(SyntaxNode body, TreeOptions options) => Contains(
        _items.GetOrAdd(
            body.SyntaxTree, tree => Find(tree, _itemNames.Concat(options.RentMethods.Keys), token => IsItem(token, options))),
        body);

    /// <summary>Whether the body, of a policy, may be a hook that blocks or does nothing, or may keep a credential.</summary>
    public bool MayBreakPolicy(SyntaxNode body) =>
        Contains(_policies.GetOrAdd(body.SyntaxTree, tree => Find(tree, _policyNames, IsOfPolicy)), body);

    private static bool Contains(int[] places, SyntaxNode body)
    {
        var first = Array.BinarySearch(places, body.SpanStart);
        var next = first < 0 ? ~first : first;
        return next < places.Length && places[next] < body.Span.End;
    }

    private static int[] Find(SyntaxTree tree, IEnumerable<string> names, Func<SyntaxToken, bool> isWanted)
    {
        var text = tree.GetText().ToString();
        var places = new List<int>();
        foreach (var name in names)
        {
            for (var at = text.IndexOf(name, StringComparison.Ordinal); at >= 0;
                 at = text.IndexOf(name, at + name.Length, StringComparison.Ordinal))
            {
                var inside = name[0] == '.' ? at + 1 : at;
                if (IsInComment(text, inside))
                {
                    continue;
                }

                var token = tree.GetRoot().FindToken(inside);
                if (token.IsKind(SyntaxKind.IdentifierToken) && token.Span.Contains(inside) && isWanted(token))
                {
                    places.Add(token.SpanStart);
                }
            }
        }

        places.Sort();
        return places.ToArray();
    }

    // Most places are in comments on lines of their own: these need no search for a token.
    private static bool IsInComment(string text, int at)
    {
        var start = text.LastIndexOf('\n', at) + 1;
        while (start < at && text[start] is ' ' or '\t')
        {
            start++;
        }

        return start + 1 < at && text[start] == '/' && text[start + 1] == '/';
    }

    private static bool IsItem(SyntaxToken token, TreeOptions options)
    {
        var name = token.ValueText;
        return name switch
        {
            "PooledStream" => !IsTypeOfResult(token),
            "Return" => CallOf(token)?.ArgumentList.Arguments.Count > 0,
            "Get" => CallOf(token)?.ArgumentList.Arguments.Count == 0,
            "Detach" or "DetachBuffer" or "GetStream" => CallOf(token) is not null,
            _ when name.EndsWith("Lease", StringComparison.Ordinal) => !IsTypeOfResult(token),
            _ => CallOf(token) is not null && (options.RentMethods.ContainsKey(name)
                || name.IndexOf("Rent", StringComparison.Ordinal) >= 0 || name.EndsWith("LeaseAsync", StringComparison.Ordinal)),
        };
    }

    private static bool IsOfPolicy(SyntaxToken token) => token.Parent is MethodDeclarationSyntax method
        ? method.Modifiers.Any(SyntaxKind.OverrideKeyword)
        : token.Parent!.Ancestors().Any(outer => outer is ConstructorDeclarationSyntax or FieldDeclarationSyntax);

    private static InvocationExpressionSyntax? CallOf(SyntaxToken token)
    {
        SyntaxNode? called = token.Parent as SimpleNameSyntax;
        if (called?.Parent is MemberAccessExpressionSyntax or MemberBindingExpressionSyntax)
        {
            called = called.Parent;
        }

        return called?.Parent is InvocationExpressionSyntax call && call.Expression == called ? call : null;
    }

    // What a member returns is also created or rented in its body, or it comes from another method.
    private static bool IsTypeOfResult(SyntaxToken token)
    {
        var node = token.Parent;
        while (node is TypeSyntax or TypeArgumentListSyntax)
        {
            node = node.Parent;
        }

        return node is MemberDeclarationSyntax or LocalFunctionStatementSyntax;
    }
}
