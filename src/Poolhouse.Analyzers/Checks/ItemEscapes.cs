using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>
/// PH1003 and PH1010, and for other items PH2002, PH2010 and PH3003: a value leaves the method while its item ends in it.
/// </summary>
internal sealed class ItemEscapes : FlowRule
{
    private readonly List<(Item Item, IOperation Target, IOperation Value)> _stored = new();

    public override void Left(FlowPoint point, IOperation value, ItemState[] after)
    {
        value = Operations.WithoutConversions(value);
        var reference = point.Analysis.Variables.Resolve(value) ?? StreamIn(value, point.Analysis.Variables);
        if (reference is { } direct && Ends(point, direct.Item, after))
        {
            ReportEscape(point, direct, direct.Item.Kind == ItemKind.Stream ? SourceIn(value) : value);
        }
        else if (Operations.IsTask(value.Type) && point.Analysis.Method is { IsAsync: false }
            && value is IInvocationOperation call
            && point.Analysis.Variables.Items.Any(
                item => Ends(point, item, after) && IsUsedBy(call, item, point.Analysis.Variables)))
        {
            point.Report(Rules.TaskOutlivesLease, value);
        }
    }

    public override void Stored(FlowPoint point, Reference reference, IOperation target, IOperation value)
    {
        if (reference.IsPart && reference.Item.Kind is ItemKind.Lease or ItemKind.BufferLease && IsField(target) is not null)
        {
            _stored.Add((reference.Item, target, value));
        }
    }

    public override void Completed(FlowAnalysis analysis)
    {
        foreach (var (item, target, value) in _stored)
        {
            if (analysis.Exit?[item.Index] == ItemState.Ended && IsAssignedOnce(analysis.Body.Root, IsField(target)!))
            {
                analysis.Body.Report(Rules.ItemEscapes, value.Syntax, value.Syntax.ToString());
            }
        }
    }

    private static bool Ends(FlowPoint point, Item item, ItemState[] after) =>
        point.Of(item) == ItemState.Held && after[item.Index] == ItemState.Ended;

    // A result or a content that is read later, such as Results.Stream(stream).
    private static Reference? StreamIn(IOperation value, Variables variables) =>
        !ReferenceEquals(SourceIn(value), value) && variables.Resolve(SourceIn(value)) is { Item.Kind: ItemKind.Stream } stream
            ? stream
            : null;

    private static IOperation SourceIn(IOperation value) => value switch
    {
        IInvocationOperation
        {
            TargetMethod: { Name: "Stream" or "File", ContainingType.Name: "Results" or "TypedResults" or "ControllerBase" },
        } call => Operations.FirstArgument(call) is { } first ? Operations.WithoutConversions(first) : value,
        IObjectCreationOperation
        {
            Type.Name: "FileStreamResult" or "StreamContent" or "StreamReader",
            Arguments: { Length: > 0 } arguments,
        } => Operations.WithoutConversions(arguments[0].Value),
        _ => value,
    };

    private static void ReportEscape(FlowPoint point, Reference reference, IOperation value)
    {
        var name = value.Syntax.ToString();
        switch (reference.Item.Kind)
        {
            case ItemKind.Lease or ItemKind.BufferLease when reference.IsPart:
                point.Report(Rules.ItemEscapes, value, name);
                break;
            case ItemKind.Array or ItemKind.Object:
                point.Report(
                    Rules.UsedAfterReturn, value, $"'{name}' leaves the method, but it is returned to its pool here");
                break;
            case ItemKind.MemoryOwner:
                point.Report(Rules.MemoryOwner, value, $"'{name}' leaves the method, but its owner is disposed here");
                break;
            case ItemKind.Stream:
                point.Report(
                    Rules.SequenceKept, value,
                    $"'{name}' leaves the method, but {(reference.IsPart ? "its stream" : "it")} is disposed here");
                break;
        }
    }

    // A method of the item, or of something inside it, or a call with the item as an argument. What only reads the item before
    // the call, such as Task.FromResult(lease.Value.Count), has finished when the lease ends.
    private static bool IsUsedBy(IInvocationOperation call, Item item, Variables variables)
    {
        if (call.Instance is IInvocationOperation inner && Operations.IsTask(inner.Type))
        {
            return IsUsedBy(inner, item, variables);
        }

        if (Operations.IsTask(call.TargetMethod.ContainingType))
        {
            return false;
        }

        var receiver = call.Instance;
        while (receiver is not null && variables.Resolve(receiver) is null)
        {
            receiver = receiver switch
            {
                IPropertyReferenceOperation property => property.Instance,
                IFieldReferenceOperation field => field.Instance,
                _ => null,
            };
        }

        return IsPartOf(receiver) || call.Arguments.Any(argument => IsPartOf(argument.Value));

        bool IsPartOf(IOperation? value) =>
            variables.Resolve(value) is { } reference && ReferenceEquals(reference.Item, item)
            && item.Kind is ItemKind.Lease or ItemKind.BufferLease;
    }

    // A field or property of this object, or a static one.
    private static ISymbol? IsField(IOperation target) => target switch
    {
        IFieldReferenceOperation { Instance: null or IInstanceReferenceOperation } field => field.Field,
        IPropertyReferenceOperation { Instance: null or IInstanceReferenceOperation } property => property.Property,
        _ => null,
    };

    // A field that is assigned again in the same body may no longer hold the item: the rule does not follow fields.
    private static bool IsAssignedOnce(IOperation root, ISymbol field) =>
        root.Descendants().OfType<IAssignmentOperation>()
            .Count(assignment => SymbolEqualityComparer.Default.Equals(IsField(assignment.Target), field)) == 1;
}
