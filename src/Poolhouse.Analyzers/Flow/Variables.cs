using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Flow;

/// <summary>
/// Finds the variables of a graph that hold rented items, and those that are aliases of them or of their parts.
/// </summary>
// Invariants
//   a variable is a local, a parameter passed by value, or a flow capture of the graph
//   an item is a variable with its own state; an alias is a variable that is assigned once, from an item that is rented
//   once, so both always mean the same object
//   a variable that a lambda captures, or that is passed by reference, is neither: nothing is reported about it
//   nor is a nullable lease, which is ended through the value inside it
internal sealed class Variables
{
    private readonly PoolApis _apis;
    private readonly HashSet<ISymbol> _captured;
    private readonly Dictionary<object, List<IOperation?>> _values = new();
    private readonly HashSet<object> _givenUp = new();
    private readonly Dictionary<object, Item> _items = new();
    private readonly Dictionary<object, Reference> _aliases = new();

    public Variables(ControlFlowGraph graph, PoolApis apis, HashSet<ISymbol> captured)
    {
        _apis = apis;
        _captured = captured;
        var returned = new HashSet<object>();
        foreach (var operation in graph.Blocks.SelectMany(OperationsOf))
        {
            Collect(operation, returned);
        }

        FindItems(returned);
        FindAliases();
        FindPendingUses(graph);
    }

    public List<Item> Items { get; } = new();

    public static IEnumerable<IOperation> OperationsOf(BasicBlock block)
    {
        var all = block.Operations.SelectMany(operation => operation.DescendantsAndSelf());
        return block.BranchValue is { } value ? all.Concat(value.DescendantsAndSelf()) : all;
    }

    /// <summary>The item that an expression is, or is a part of.</summary>
    public Reference? Resolve(IOperation? operation)
    {
        if (operation is null)
        {
            return null;
        }

        if (_apis.IsView(operation, out var source))
        {
            return Resolve(source) is { } whole ? new Reference(whole.Item, isPart: true) : null;
        }

        var value = Operations.WithoutConversions(operation);
        if (!ReferenceEquals(value, operation))
        {
            return Resolve(value);
        }

        return KeyOf(value) is not { } key ? null
            : _items.TryGetValue(key, out var item) ? new Reference(item, isPart: false)
            : _aliases.TryGetValue(key, out var alias) ? alias
            : null;
    }

    /// <summary>The item that the expression is, not a part of it.</summary>
    public Item? ResolveWhole(IOperation? operation) => Resolve(operation) is { IsPart: false } whole ? whole.Item : null;

    /// <summary>The item whose state an assignment to the target sets; null if the target is an alias or not followed.</summary>
    public Item? Target(IOperation target) => KeyOf(target) is { } key && _items.TryGetValue(key, out var item) ? item : null;

    public bool IsAlias(IOperation target) => KeyOf(target) is { } key && _aliases.ContainsKey(key);

    /// <summary>
    /// The item that a task uses until it completes: the value is a call that returns the task and was given the item, or
    /// memory of it.
    /// </summary>
    public Item? UsedBy(IOperation? value)
    {
        if (value is null
            || Operations.WithoutConfigureAwait(Operations.WithoutConversions(value)) is not IInvocationOperation call
            || !Operations.IsTask(call.Type) || Operations.IsTask(call.TargetMethod.ContainingType)
            || call.Instance?.Type is { Name: "MemoryStream" or "PooledStream" })
        {
            return null;
        }

        foreach (var argument in call.Arguments.Where(argument => !Operations.IsSpan(argument.Parameter?.Type)))
        {
            if (Resolve(argument.Value) is { } reference && (reference.IsPart
                ? reference.Item.Kind is ItemKind.Array or ItemKind.BufferLease or ItemKind.MemoryOwner
                : reference.Item.Kind is ItemKind.Array))
            {
                return reference.Item;
            }
        }

        return null;
    }

    /// <summary>The task of a call whose result is dropped.</summary>
    public Item? DroppedUse(IInvocationOperation call) => _items.TryGetValue(call, out var item) ? item : null;

    /// <summary>Whether a local or parameter is an alias of the item.</summary>
    public bool HasAlias(Item item) =>
        _aliases.Any(alias => alias.Key is ISymbol && !alias.Value.IsPart && ReferenceEquals(alias.Value.Item, item));

    /// <summary>Whether the value is a fresh item: a call that rents, or an awaited rent.</summary>
    public bool IsRent(IOperation value, out ItemKind kind, out IInvocationOperation? call)
    {
        if (_apis.IsRent(value, out kind, out var rent))
        {
            call = rent;
            return true;
        }

        call = null;
        value = Operations.WithoutConversions(value);
        if (Operations.AwaitedTask(value) is { } task && ResolveWhole(task) is { Kind: ItemKind.PendingRent }
            && _apis.KindOfLease(value.Type) is { } lease)
        {
            kind = lease;
            return true;
        }

        return false;
    }

    private static object? KeyOf(IOperation? operation) => operation switch
    {
        ILocalReferenceOperation { IsDeclaration: false } or ILocalReferenceOperation
            => ((ILocalReferenceOperation)operation).Local.RefKind == RefKind.None
                ? ((ILocalReferenceOperation)operation).Local
                : null,
        IFlowCaptureReferenceOperation capture => capture.Id,
        IFlowCaptureOperation capture => capture.Id,
        IParameterReferenceOperation { Parameter.RefKind: RefKind.None } parameter => parameter.Parameter,
        IDeclarationExpressionOperation declaration => KeyOf(declaration.Expression),
        _ => null,
    };

    private static string NameOf(object key) => key is ISymbol symbol ? symbol.Name : "the item";

    private void Collect(IOperation operation, HashSet<object> returned)
    {
        switch (operation)
        {
            case ISimpleAssignmentOperation { IsRef: true } assignment:
                GiveUp(assignment.Target);
                GiveUp(assignment.Value);
                break;
            case ISimpleAssignmentOperation assignment:
                Assigned(assignment.Target, assignment.Value);
                break;
            case IFlowCaptureOperation capture:
                Assigned(capture, capture.Value);
                break;
            case IArgumentOperation { Parameter.RefKind: RefKind.Out } argument:
                Assigned(
                    argument.Value, argument.Parent is IInvocationOperation caller && _apis.IsTryRent(caller) ? caller : null);
                break;
            case IArgumentOperation { Parameter.RefKind: RefKind.Ref } argument:
                GiveUp(argument.Value);
                break;
            case IAddressOfOperation address:
                GiveUp(address.Reference);
                break;
            case IDeconstructionAssignmentOperation deconstruction:
                foreach (var part in deconstruction.Target.DescendantsAndSelf())
                {
                    Assigned(part, value: null);
                }

                break;
            case IDeclarationPatternOperation { DeclaredSymbol: ILocalSymbol local }:
                _givenUp.Add(local);
                break;
            case ICompoundAssignmentOperation or IIncrementOrDecrementOperation:
                Assigned(operation.ChildOperations.First(), value: null);
                break;
            case IParameterReferenceOperation { Parameter.RefKind: RefKind.None } reference when _apis.IsLease(reference.Type):
                if (!_values.ContainsKey(reference.Parameter))
                {
                    _values.Add(reference.Parameter, new List<IOperation?>());
                }

                break;
            case IInvocationOperation call when !_apis.LeasesOnly && _apis.IsReturn(call.TargetMethod):
                if (Operations.FirstArgument(call) is { } item && KeyOf(Operations.WithoutConversions(item)) is { } key)
                {
                    returned.Add(key);
                }

                break;
        }
    }

    private void Assigned(IOperation target, IOperation? value)
    {
        if (KeyOf(target) is { } key)
        {
            if (!_values.TryGetValue(key, out var values))
            {
                _values.Add(key, values = new List<IOperation?>());
            }

            values.Add(value);
        }
    }

    private void GiveUp(IOperation operation)
    {
        if (KeyOf(Operations.WithoutConversions(operation)) is { } key)
        {
            _givenUp.Add(key);
        }
    }

    private bool IsFollowed(object key) =>
        !_givenUp.Contains(key) && !(key is ISymbol symbol && _captured.Contains(symbol))
        && TypeOf(key) is not { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T };

    // Until nothing is found any more: a variable that is assigned from an item and is no alias of it is an item itself.
    private void FindItems(HashSet<object> returned)
    {
        foreach (var key in returned.Where(IsFollowed))
        {
            if (!IsOtherName(key))
            {
                Add(key, TypeOf(key) is IArrayTypeSymbol ? ItemKind.Array : ItemKind.Object);
            }
        }

        bool found;
        do
        {
            found = false;
            foreach (var entry in _values.Where(entry => !_items.ContainsKey(entry.Key) && IsFollowed(entry.Key)))
            {
                if (KindOf(entry.Key, entry.Value) is { } kind)
                {
                    Add(entry.Key, kind);
                    found = true;
                }
            }
        }
        while (found);

        foreach (var entry in _values.Where(entry => _items.ContainsKey(entry.Key)))
        {
            foreach (var value in entry.Value)
            {
                if (value is IInvocationOperation attempt && _apis.IsTryRent(attempt))
                {
                    _items[entry.Key].Rents.Add(attempt);
                }
                else if (value is not null && IsRent(value, out _, out var call) && call is not null)
                {
                    _items[entry.Key].Rents.Add(call);
                }
            }
        }
    }

    private ItemKind? KindOf(object key, List<IOperation?> values)
    {
        foreach (var value in values)
        {
            if (value is IInvocationOperation call && _apis.IsTryRent(call))
            {
                return ItemKind.Lease;
            }

            if (value is not null && IsRent(value, out var kind, out _))
            {
                return kind;
            }
        }

        if (_apis.KindOfLease(TypeOf(key)) is { } lease && !IsOtherName(key))
        {
            return lease;
        }

        return values.Count > 1
            ? values.Where(value => value is not null).Select(value => ResolveWhole(value)?.Kind)
                .FirstOrDefault(kind => kind is not null)
            : null;
    }

    // Assigned once, from another variable.
    private bool IsOtherName(object key) =>
        _values.TryGetValue(key, out var values) && values.Count == 1 && values[0] is { } value && SourceOf(value) is not null;

    private object? SourceOf(IOperation value)
    {
        while (_apis.IsView(value, out var source))
        {
            value = source;
        }

        return KeyOf(Operations.WithoutConversions(value));
    }

    private void FindAliases()
    {
        bool found;
        do
        {
            found = false;
            foreach (var entry in _values)
            {
                if (entry.Value.Count == 1 && IsFollowed(entry.Key) && !_items.ContainsKey(entry.Key)
                    && !_aliases.ContainsKey(entry.Key)
                    && Resolve(entry.Value[0]) is { } source && IsRentedOnce(source.Item))
                {
                    _aliases.Add(entry.Key, source);
                    found = true;
                }
            }
        }
        while (found);
    }

    private void FindPendingUses(ControlFlowGraph graph)
    {
        if (Items.Count == 0)
        {
            return;
        }

        var operations = graph.Blocks.SelectMany(OperationsOf).ToList();
        foreach (var entry in _values.Where(entry => entry.Key is ILocalSymbol && IsFollowed(entry.Key)
            && !_items.ContainsKey(entry.Key) && !_aliases.ContainsKey(entry.Key)))
        {
            var starts = entry.Value.Where(value => value is null || !Operations.IsNull(value)).ToList();
            if (starts.Count > 0 && IsRaceFollowed((ILocalSymbol)entry.Key, operations)
                && starts.Select(UsedBy).Distinct().ToList() is { Count: 1 } used && used[0] is { } item)
            {
                AddUse(entry.Key, item, starts[0]!);
            }
        }

        foreach (var operation in graph.Blocks.SelectMany(block => block.Operations).OfType<IExpressionStatementOperation>())
        {
            var dropped = operation.Operation is ISimpleAssignmentOperation { Target: IDiscardOperation } assignment
                ? assignment.Value
                : operation.Operation;
            if (UsedBy(dropped) is { } item)
            {
                AddUse(Operations.WithoutConfigureAwait(Operations.WithoutConversions(dropped)), item, dropped);
            }
        }
    }

    // The result of a race, Task.WhenAny(task, …), is only compared, so the branches tell whether the task has completed.
    private static bool IsRaceFollowed(ILocalSymbol task, List<IOperation> operations)
    {
        return operations.OfType<IInvocationOperation>()
            .Where(call => string.Equals(call.TargetMethod.Name, "WhenAny", StringComparison.Ordinal)
                && call.Descendants().Any(value => IsLocal(value, task)))
            .All(call => IsFollowed(UseOf(call, awaits: 1)));

        bool IsFollowed(IOperation? use) => use switch
        {
            IBinaryOperation { OperatorKind: BinaryOperatorKind.Equals or BinaryOperatorKind.NotEquals } => true,
            IExpressionStatementOperation => true,
            ISimpleAssignmentOperation { Target: ILocalReferenceOperation { Local: var first } target } => operations
                .Where(value => IsLocal(value, first) && !ReferenceEquals(value, target))
                .All(value => UseOf(value, awaits: 0) is IBinaryOperation
                { OperatorKind: BinaryOperatorKind.Equals or BinaryOperatorKind.NotEquals }),
            _ => false,
        };

        static bool IsLocal(IOperation value, ILocalSymbol local) =>
            value is ILocalReferenceOperation reference && SymbolEqualityComparer.Default.Equals(reference.Local, local);

        static IOperation? UseOf(IOperation value, int awaits)
        {
            var use = value.Parent;
            while (use is IConversionOperation or IParenthesizedOperation
                or IInvocationOperation { TargetMethod.Name: "ConfigureAwait" } || (use is IAwaitOperation && awaits > 0))
            {
                awaits -= use is IAwaitOperation ? 1 : 0;
                use = use.Parent;
            }

            return use;
        }
    }

    private void AddUse(object key, Item used, IOperation start)
    {
        Add(key, ItemKind.PendingUse);
        Items[Items.Count - 1].Used = used;
        Items[Items.Count - 1].Start = start;
    }

    private bool IsRentedOnce(Item item)
    {
        var key = _items.First(entry => ReferenceEquals(entry.Value, item)).Key;
        var assigned =
            _values.TryGetValue(key, out var values) ? values.Count(value => value is null || !Operations.IsNull(value)) : 0;
        return assigned + (item.IsParameter ? 1 : 0) == 1;
    }

    private void Add(object key, ItemKind kind)
    {
        var item = new Item(Items.Count, NameOf(key), kind, key is IParameterSymbol);
        _items.Add(key, item);
        Items.Add(item);
    }

    private ITypeSymbol? TypeOf(object key) => key switch
    {
        ILocalSymbol local => local.Type,
        IParameterSymbol parameter => parameter.Type,
        _ => _values.TryGetValue(key, out var values) ? values.FirstOrDefault(value => value is not null)?.Type : null,
    };
}
