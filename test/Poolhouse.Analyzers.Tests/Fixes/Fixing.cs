using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.Text;
using Poolhouse.Analyzers.CodeFixes;
using Poolhouse.Analyzers.Tests.Harness;
using Poolhouse.Analyzers.Tests.Seeded;

namespace Poolhouse.Analyzers.Tests.Fixes;

/// <summary>Applies a fix to what the analyzer finds, compiles the result and analyzes it again.</summary>
internal static class Fixing
{
    private static readonly IReadOnlyList<PoolhouseFix> _fixes =
    [
        .. typeof(PoolhouseFix).Assembly.GetTypes().Where(type => type.IsSubclassOf(typeof(PoolhouseFix)))
            .Select(type => (PoolhouseFix)Activator.CreateInstance(type)!),
    ];

    /// <summary>The ids that have a fix.</summary>
    public static IEnumerable<string> Ids => _fixes.SelectMany(fix => fix.FixableDiagnosticIds);

    /// <summary>The fix turns the one text into the other; the result compiles, and the rule is silent.</summary>
    public static async Task ExpectAsync(string id, string before, string after, string? title = null)
    {
        var (source, findings) = await FindAsync(id, before);
        if (PendingRules.Ids.Contains(id))
        {
            Assert.Empty(findings);
            return;
        }

        Assert.True(findings.Count > 0, $"{id} is not found in the source to fix");
        var actions = await ActionsAsync(source, findings[0]);
        var action =
            actions.FirstOrDefault(action => title is null || string.Equals(action.Title, title, StringComparison.Ordinal));
        Assert.True(
            action is not null,
            $"no fix '{title}' is proposed; proposed: {string.Join(", ", actions.Select(each => each.Title))}");
        var result = await ApplyAsync(source, action);

        Assert.Equal(Lines(Expect.Whole(after)), Lines(result));
        var compilation = Compiler.Compile(result);
        Assert.Empty(Compiler.ErrorsOf(compilation));
        Assert.DoesNotContain(id, (await Analysis.FindAsync(compilation)).Select(finding => finding.Id));
    }

    /// <summary>The fixes of all findings, each made in the text as it was, turn the one text into the other.</summary>
    public static async Task ExpectAllAsync(string id, string before, string after)
    {
        var (source, findings) = await FindAsync(id, before);
        var original = Lines(source).Split('\n');
        var lines = Lines(source).Split('\n');
        foreach (var finding in findings)
        {
            var result = Lines(await ApplyAsync(source, Assert.Single(await ActionsAsync(source, finding)))).Split('\n');
            var changed = Assert.Single(
                result.Index(), line => !string.Equals(line.Item, original[line.Index], StringComparison.Ordinal));
            lines[changed.Index] = changed.Item;
        }

        Assert.Equal(Lines(Expect.Whole(after)).Split('\n'), lines);
    }

    /// <summary>The rule finds something, but a change, or the one with the title, would not be safe.</summary>
    public static async Task ExpectNoneAsync(string id, string source, string? title = null)
    {
        var (text, findings) = await FindAsync(id, source);
        Assert.True(findings.Count > 0, $"{id} is not found in the source");
        Assert.DoesNotContain(
            (await ActionsAsync(text, findings[0])).Select(action => action.Title),
            offered => title is null || string.Equals(offered, title, StringComparison.Ordinal));
    }

    private static async Task<(string Source, IReadOnlyList<Diagnostic> Findings)> FindAsync(string id, string source)
    {
        var text = Expect.Whole(source);
        var compilation = Compiler.Compile(text);
        Assert.Empty(Compiler.ErrorsOf(compilation));
        var found = await Analysis.FindAsync(compilation);
        return (text, [.. found.Where(finding => string.Equals(finding.Id, id, StringComparison.Ordinal))]);
    }

    private static async Task<List<CodeAction>> ActionsAsync(string source, Diagnostic finding)
    {
        var actions = new List<CodeAction>();
        foreach (var fix in _fixes.Where(fix => fix.FixableDiagnosticIds.Contains(finding.Id)))
        {
            using var workspace = new AdhocWorkspace();
            await fix.RegisterCodeFixesAsync(new CodeFixContext(
                Compiler.DocumentIn(workspace, source), finding, (action, _) => actions.Add(action),
                TestContext.Current.CancellationToken));
        }

        return actions;
    }

    private static async Task<string> ApplyAsync(string source, CodeAction action)
    {
        var operations = await action.GetOperationsAsync(TestContext.Current.CancellationToken);
        var changed = operations.OfType<ApplyChangesOperation>().Single().ChangedSolution;
        var document = changed.Projects.Single().Documents.Single(
            document => string.Equals(document.Name, Compiler.FileName, StringComparison.Ordinal));
        var text = (await document.GetTextAsync(TestContext.Current.CancellationToken)).ToString();
        Assert.NotEqual(source, text);
        return text;
    }

    private static string Lines(string text) => text.ReplaceLineEndings("\n");
}
