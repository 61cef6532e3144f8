using System.Collections.Immutable;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers.Flow;

/// <summary>Carries a state through the operations of a block, in the order in which they run.</summary>
// Invariants
//   an operation takes effect after its operands, so that an item that is used in the arguments of its own return is still held
//   each operation that may throw first adds the state before it to Thrown: what a handler around the block may find
//   the rules are called only in a reporting run, on states that do not change any more
internal sealed class FlowWalker
{
    private readonly FlowAnalysis _analysis;
    private readonly Variables _variables;
    private readonly PoolApis _apis;
    private BasicBlock _block = null!;
    private bool _report;

    // The arguments of Task.WhenAny are visited: it keeps no task from being pending.
    private bool _isRace;

    public FlowWalker(FlowAnalysis analysis)
    {
        _analysis = analysis;
        _variables = analysis.Variables;
        _apis = analysis.Body.Apis;
    }

    /// <summary>The state after the operation that was visited last.</summary>
    public ItemState[] State { get; private set; } = Array.Empty<ItemState>();

    /// <summary>The join of the states in which the block may throw; null if it does not.</summary>
    public ItemState[]? Thrown { get; private set; }

    /// <summary>The join of the states in which a fallible operation of the block throws; null if it has none.</summary>
    public ItemState[]? ThrownByFallible { get; private set; }

    private FlowPoint Here => new(_analysis, _block, State);

    public void Run(BasicBlock block, ItemState[] state, bool report)
    {
        _block = block;
        _report = report;
        State = (ItemState[])state.Clone();
        Thrown = null;
        ThrownByFallible = null;
        foreach (var operation in block.Operations)
        {
            Visit(operation, keeps: false);
        }

        if (block.BranchValue is { } value)
        {
            Visit(value, keeps: block.ConditionKind == ControlFlowConditionKind.None);
        }
    }

    // keeps: the value stands where it may be kept, such as an argument or the result, and not, say, as the receiver of a call.
    private void Visit(IOperation? operation, bool keeps)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        switch (operation)
        {
            case null or INameOfOperation:
                break;
            case IExpressionStatementOperation statement:
                Visit(statement.Operation, keeps: false);
                break;
            case ISimpleAssignmentOperation assignment:
                VisitAssignment(assignment.Target, assignment.Value, keeps);
                break;
            case IDeconstructionAssignmentOperation deconstruction:
                Visit(deconstruction.Value, keeps: true);
                VisitDeconstruction(deconstruction.Target);
                break;
            case IArgumentOperation { Parameter.RefKind: RefKind.Out } argument
                when _variables.Target(argument.Value) is not null:
                break;
            case IFlowCaptureOperation capture:
                VisitAssignment(capture, capture.Value, keeps: false);
                break;
            case IInvocationOperation call when !_apis.IsView(call, out _) || _variables.Resolve(call) is null:
                VisitCall(call);
                break;
            case IConversionOperation or IArgumentOperation or IParenthesizedOperation when _variables.Resolve(operation) is null:
                VisitChildren(operation, keeps && !Operations.IsSpan(operation.Type));
                break;
            case IBinaryOperation or IIsPatternOperation or IIsNullOperation:
                VisitTest(operation);
                break;
            default:
                VisitValue(operation, keeps);
                break;
        }
    }

    private void VisitValue(IOperation operation, bool keeps)
    {
        if (Operations.AwaitedTask(operation) is { } task
            && _variables.ResolveWhole(task) is { Kind: ItemKind.PendingRent or ItemKind.PendingUse } pending)
        {
            Throwing(operation, pending);
            End(pending, operation);
        }
        else if (_variables.Resolve(operation) is { } reference)
        {
            VisitReference(operation, reference, keeps);
        }
        else if (operation is IPropertyReferenceOperation property)
        {
            VisitProperty(property);
        }
        else
        {
            // An object built from a value keeps it; a value computed from it does not.
            VisitChildren(operation,
                operation is not (IArrayElementReferenceOperation or IFieldReferenceOperation or IUnaryOperation
                or IInterpolatedStringOperation or IInterpolationOperation or ICompoundAssignmentOperation or IAwaitOperation)
                && !IsString(operation));
            // The constructor of an exception does not throw another one.
            if ((operation is IObjectCreationOperation { Type: var created } && !Operations.IsException(created))
                || operation is IArrayElementReferenceOperation or IAwaitOperation or IDynamicInvocationOperation
                or IThrowOperation or IArrayCreationOperation)
            {
                Throwing(operation);
            }

            if (operation is IObjectCreationOperation creation)
            {
                SetOutArguments(creation.Arguments, ItemState.Elsewhere);
            }
        }
    }

    private void VisitReference(IOperation operation, Reference reference, bool keeps)
    {
        var isArrayOrObject = reference.Item.Kind is ItemKind.Array or ItemKind.Object;
        if (_apis.IsView(Operations.WithoutConversions(operation), out var source) || _apis.IsView(operation, out source))
        {
            VisitChildren(operation, keeps: false);
            Throwing(operation);
            if (!isArrayOrObject && _variables.ResolveWhole(source) is not null)
            {
                Use(reference, operation);
            }
        }
        else if (isArrayOrObject || reference.IsPart)
        {
            Use(reference, operation);
        }

        reference.Item.IsPartPassedOn |= keeps && reference.IsPart;
        if (keeps && (!reference.IsPart || (isArrayOrObject && !Operations.IsSpan(operation.Type)))
            && !(reference.Item.Kind == ItemKind.PendingUse && _isRace))
        {
            reference.Item.IsPassedOn = true;
        }
    }

    private void VisitProperty(IPropertyReferenceOperation property)
    {
        var item = _variables.ResolveWhole(property.Instance);
        if (item is { Kind: ItemKind.PendingUse })
        {
            // Whether it has completed is known after this.
            item.IsPassedOn = true;
        }

        if (item is { Kind: ItemKind.Lease or ItemKind.BufferLease } && property.Property.Name is "Value" or "Info")
        {
            Throwing(property);
            Use(new Reference(item!, isPart: false), property);
            return;
        }

        var isLength = property.Property.Name is "Length" or "Count";
        if (item is null || item.Kind is not ItemKind.Array || !isLength)
        {
            Visit(property.Instance, keeps: false);
        }

        foreach (var argument in property.Arguments)
        {
            Visit(argument, keeps: true);
        }

        // ArrayPool<T>.Shared in a finally block loses nothing.
        if (!isLength && property.Property is not { IsStatic: true, Name: "Shared" })
        {
            Throwing(property);
        }
    }

    private void VisitTest(IOperation operation)
    {
        if (operation is IBinaryOperation
            {
                OperatorKind: BinaryOperatorKind.Equals or BinaryOperatorKind.NotEquals,
                OperatorMethod: null,
            }
            || (Conditions.IsNullTest(operation, out var tested, out _) && _variables.ResolveWhole(tested) is not null))
        {
            foreach (var child in operation.ChildOperations.Where(child => !IsHeld(child)))
            {
                Visit(child, keeps: false);
            }
        }
        else
        {
            // A pattern that declares a variable gives the value another name.
            var tests = operation as IIsPatternOperation;
            var declares = tests is not null && tests.Pattern.DescendantsAndSelf().Any(DeclaresVariable);
            foreach (var child in operation.ChildOperations)
            {
                Visit(child, keeps: declares && ReferenceEquals(child, tests!.Value));
            }
        }
    }

    private static bool DeclaresVariable(IOperation pattern) => pattern
        is IDeclarationPatternOperation { DeclaredSymbol: not null } or IRecursivePatternOperation { DeclaredSymbol: not null }
        or IListPatternOperation { DeclaredSymbol: not null };

    // A variable that is followed. A member such as lease.Value is read first, whatever is done with it.
    private bool IsHeld(IOperation operation) =>
        _variables.Resolve(operation) is { } reference
        && !(reference.IsPart && _apis.IsView(Operations.WithoutConversions(operation), out _));

    private void VisitAssignment(IOperation target, IOperation value, bool keeps)
    {
        var item = _variables.Target(target);
        if (keeps && _variables.ResolveWhole(target) is { } known)
        {
            // The value of the assignment goes on: to a field, to the result, to the resource of a using statement.
            known.IsPassedOn = true;
        }

        if (_variables.IsRent(value, out _, out _))
        {
            Visit(value, keeps: true);
            Set(item, ItemState.Held);
            if (item is not null && _report)
            {
                _analysis.Tell(rule => rule.Rented(Here, item, value));
            }

            return;
        }

        var source = _variables.ResolveWhole(value);
        if (item is not null && source is not null && !ReferenceEquals(item, source))
        {
            // The item moves: from here on it is followed under its new name only.
            Set(item, State[source.Index]);
            Set(source, ItemState.Elsewhere);
            source.IsPassedOn = true;
        }
        else if (item is not null)
        {
            Visit(value, keeps: true);
            Set(item, Operations.IsNull(value) && !IsHeldElsewhere(item, target) ? ItemState.Empty
                : item.Kind == ItemKind.PendingUse ? ItemState.Held
                : ItemState.Elsewhere);
        }
        else if (!_variables.IsAlias(target))
        {
            if (target is not IFlowCaptureOperation)
            {
                Visit(target, keeps: false);
            }

            Visit(value, keeps: target is not IDiscardOperation || keeps);
            if (_report && _variables.Resolve(value) is { } reference)
            {
                _analysis.Tell(rule => rule.Stored(Here, reference, target, value));
            }
        }
        else if (source is null)
        {
            Visit(value, keeps);
        }
    }

    // An alias still means the item of a variable that is reset. A flow capture is not reset after it was copied.
    private bool IsHeldElsewhere(Item item, IOperation reset) =>
        State[item.Index] != ItemState.Empty && reset is not IFlowCaptureOperation && _variables.HasAlias(item);

    private void VisitCall(IInvocationOperation call)
    {
        var ended = _apis.EndedBy(call, operand => _variables.ResolveWhole(operand)?.Kind);
        if (!ReferenceEquals(call.Instance, ended))
        {
            Visit(call.Instance, keeps: false);
            if (_variables.ResolveWhole(call.Instance) is { Kind: ItemKind.PendingRent or ItemKind.PendingUse } pending)
            {
                // The rent lives on in the result, such as that of AsTask. What follows a WaitAsync runs when the task has
                // completed.
                pending.IsPassedOn |= !Operations.IsLimitedWait(call) || pending.Kind == ItemKind.PendingRent;
                Set(pending.IsPassedOn ? null : pending, ItemState.Elsewhere);
            }
        }

        foreach (var argument in call.Arguments.Where(argument => !ReferenceEquals(argument.Value, ended)))
        {
            if (argument.Parameter?.RefKind != RefKind.Out && !(ComparesIdentity(call.TargetMethod) && IsHeld(argument.Value)))
            {
                _isRace = string.Equals(call.TargetMethod.Name, "WhenAny", StringComparison.Ordinal)
                    && Operations.IsTask(call.TargetMethod.ContainingType);
                Visit(argument.Value, keeps: _apis.Keeps(call.TargetMethod, argument.Parameter));
                _isRace = false;
            }
        }

        Throwing(call, _variables.ResolveWhole(ended));
        if (ended is not null && _variables.Resolve(ended) is { } reference)
        {
            if (reference.IsPart && reference.Item.Kind is not (ItemKind.Array or ItemKind.Object))
            {
                HandBack(reference, call);
            }
            else
            {
                End(reference.Item, call);
            }
        }
        else if (ended is not null)
        {
            Visit(ended, keeps: true);
        }

        SetOutArguments(call.Arguments, _apis.IsTryRent(call) ? ItemState.Held | ItemState.Empty : ItemState.Elsewhere);
        Set(_variables.DroppedUse(call), ItemState.Held);
    }

    private void SetOutArguments(ImmutableArray<IArgumentOperation> arguments, ItemState state)
    {
        foreach (var argument in arguments.Where(argument => argument.Parameter?.RefKind == RefKind.Out))
        {
            Set(_variables.Target(argument.Value), state);
        }
    }

    private void VisitDeconstruction(IOperation target)
    {
        switch (target)
        {
            case ITupleOperation tuple:
                foreach (var element in tuple.Elements)
                {
                    VisitDeconstruction(element);
                }

                break;
            case IDeclarationExpressionOperation declaration:
                VisitDeconstruction(declaration.Expression);
                break;
            case not null when _variables.Target(target) is { } item:
                Set(item, ItemState.Elsewhere);
                break;
            default:
                Visit(target, keeps: false);
                break;
        }
    }

    // The identity of the object may be compared at any time.
    private static bool ComparesIdentity(IMethodSymbol method) =>
        method.Name is "ReferenceEquals" or "Same" or "NotSame" or "AreSame" or "AreNotSame" or "SameAs" or "BeSameAs"
            or "NotBeSameAs" or "ShouldBeSameAs" or "ShouldNotBeSameAs" or "IsSameReferenceAs" or "IsNotSameReferenceAs";

    private void VisitChildren(IOperation operation, bool keeps)
    {
        foreach (var child in operation.ChildOperations)
        {
            Visit(child, keeps);
        }
    }

    private void End(Item item, IOperation operation)
    {
        item.Ends[operation] = _block.Ordinal;
        if (_report)
        {
            _analysis.Tell(rule => rule.Ended(Here, item, operation));
        }

        // A detached item lives on: the caller owns it, under any name.
        Set(item, operation is IInvocationOperation { TargetMethod.Name: "Detach" } ? ItemState.Elsewhere : ItemState.Ended);
    }

    private void HandBack(Reference reference, IOperation operation)
    {
        if (_report)
        {
            _analysis.Tell(rule => rule.HandedBack(Here, reference, operation));
        }
    }

    private void Use(Reference reference, IOperation operation)
    {
        if (_report)
        {
            _analysis.Tell(rule => rule.Used(Here, reference, operation));
        }
    }

    private void Set(Item? item, ItemState state)
    {
        if (item is not null)
        {
            State = (ItemState[])State.Clone();
            State[item.Index] = state;
        }
    }

    // If the call that ends an item throws, it is unknown whether the item has ended.
    private void Throwing(IOperation operation, Item? ending = null)
    {
        var state = State;
        if (ending is not null)
        {
            state = (ItemState[])state.Clone();
            state[ending.Index] = ItemState.Elsewhere;
        }

        Thrown = FlowAnalysis.Join(Thrown, state, out _);
        if (Operations.IsFallible(operation))
        {
            ThrownByFallible = FlowAnalysis.Join(ThrownByFallible, state, out _);
        }
    }

    private static bool IsString(IOperation operation) =>
        operation is IObjectCreationOperation { Type.SpecialType: SpecialType.System_String };
}
