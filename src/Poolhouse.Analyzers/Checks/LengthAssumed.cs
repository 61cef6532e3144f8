using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers.Checks;

/// <summary>PH2007: the whole of a rented array is written, decoded or read, although it may be longer than requested.</summary>
// Only uses that read the content are reported: the whole array is a valid target for a read. An array that is filled as a whole
// before (ReadExactly, Fill, Clear) may be read as a whole.
internal sealed class LengthAssumed : OperationRule
{
    public override void Check(BodyContext body, IOperation operation)
    {
        if (operation is not IVariableDeclaratorOperation { Initializer.Value: { } value } declarator
            || !IsRentedArray(body, Operations.WithoutConversions(value)))
        {
            return;
        }

        var references = body.Root.Descendants().OfType<ILocalReferenceOperation>()
            .Where(reference => SymbolEqualityComparer.Default.Equals(reference.Local, declarator.Symbol)).ToList();
        foreach (var reference in references.Where(IsReadExactly))
        {
            body.Report(Rules.LengthAssumed, reference.Syntax, DiagnosticSeverity.Info, declarator.Symbol.Name);
        }

        if (references.Any(IsFilled))
        {
            return;
        }

        // It may hold another array, of another length, when it is read.
        if (references.Any(IsAssigned))
        {
            return;
        }

        foreach (var reference in references)
        {
            if (PlaceOf(reference) is { } place)
            {
                body.Report(Rules.LengthAssumed, place.Syntax, declarator.Symbol.Name);
            }
        }
    }

    private static bool IsRentedArray(BodyContext body, IOperation value) =>
        value is IConditionalOperation { WhenFalse: { } whenFalse } conditional
        ? IsRentedArray(body, conditional.WhenTrue) || IsRentedArray(body, whenFalse)
        : body.Apis.IsRent(value, out var kind, out var rent) && kind == ItemKind.Array
        && body.Apis.IsArrayPool(rent.TargetMethod.ContainingType);

    // The operation that takes the length of the array for the length of the content.
    private static IOperation? PlaceOf(ILocalReferenceOperation reference)
    {
        if (ArgumentOf(reference) is { Parent: { } call } argument)
        {
            return (IsRead(call) || IsReadAsSpan(call)) && !HasCount(call) && !IsDestination(argument) && !IsReadInPart(call)
                ? reference : null;
        }

        if (reference.Parent is IPropertyReferenceOperation { Property.Name: "Length" } length)
        {
            return IsCountOfRead(length, reference.Local) || IsBoundOfRead(length, reference.Local) ? length : null;
        }

        return IsIterated(reference) ? reference : null;
    }

    private static IArgumentOperation? ArgumentOf(IOperation value)
    {
        var parent = value.Parent;
        while (parent is IConversionOperation)
        {
            parent = parent.Parent;
        }

        return parent as IArgumentOperation;
    }

    // A read never takes a span that can be written.
    private static bool IsDestination(IArgumentOperation argument) =>
        Operations.IsMemory(argument.Parameter?.Type) && argument.Parameter!.Type.Name is "Span" or "Memory";

    // rented.Select(…).Take(n)
    private static bool IsReadInPart(IOperation call)
    {
        while (call is IInvocationOperation
            {
                TargetMethod.Name: "Select" or "Where" or "Cast" or "OfType" or "Zip" or "Index" or "TakeWhile" or "SkipWhile",
            }
            && ArgumentOf(call) is { Parameter.Ordinal: 0, Parent: IInvocationOperation next })
        {
            if (string.Equals(next.TargetMethod.Name, "Take", StringComparison.Ordinal))
            {
                return true;
            }

            call = next;
        }

        return false;
    }

    private static bool IsRead(IOperation call) => call switch
    {
        IInvocationOperation invocation => IsRead(invocation.TargetMethod),
        IObjectCreationOperation creation =>
            creation.Type is { SpecialType: SpecialType.System_String },
        _ => false,
    };

    // rented.AsSpan().Count(x)
    private static bool IsReadAsSpan(IOperation call) =>
        call is IInvocationOperation { TargetMethod.Name: "AsSpan", Arguments.Length: 1 } && ArgumentOf(call) is
        {
            Parameter.Ordinal: 0,
            Parent: IInvocationOperation
            {
                TargetMethod: { Name: "Count" or "SequenceEqual", ContainingType.Name: "MemoryExtensions" },
            },
        };

    private static bool IsRead(IMethodSymbol method) => method.Name switch
    {
        "Write" or "WriteAsync" => Inherits(method.ContainingType, "Stream") || Inherits(method.ContainingType, "TextWriter")
            || Inherits(method.ContainingType, "BinaryWriter"),
        "GetString" or "GetCharCount" => Inherits(method.ContainingType, "Encoding"),
        "ToBase64String" or "ToHexString" or "ToHexStringLower" =>
            string.Equals(method.ContainingType.Name, "Convert", StringComparison.Ordinal),
        "HashData" or "ComputeHash" => method.ContainingNamespace.Name is "Cryptography" or "Hashing",
        "WriteAllBytes" or "WriteAllBytesAsync" => string.Equals(method.ContainingType.Name, "File", StringComparison.Ordinal),
        "Join" or "Concat" => method.ContainingType.SpecialType == SpecialType.System_String,
        _ => method.ContainingType is { Name: "Enumerable", ContainingNamespace.Name: "Linq" }
            && method.Name is not ("Take" or "Skip" or "Reverse" or "AsEnumerable" or "First" or "ElementAt"),
    };

    private static bool Inherits(ITypeSymbol? type, string name)
    {
        for (; type is not null; type = type.BaseType)
        {
            if (string.Equals(type.Name, name, StringComparison.Ordinal)
                && type.ContainingNamespace.ToDisplayString().StartsWith("System", StringComparison.Ordinal))
            {
                return true;
            }
        }

        return false;
    }

    private static bool HasCount(IOperation call)
    {
        var arguments =
            call is IInvocationOperation invocation ? invocation.Arguments : ((IObjectCreationOperation)call).Arguments;
        return arguments.Any(argument => argument.Parameter?.Type.SpecialType == SpecialType.System_Int32);
    }

    // Write(rented, 0, rented.Length)
    private static bool IsCountOfRead(IOperation length, ILocalSymbol local) =>
        ArgumentOf(length) is { Parent: { } call } && IsRead(call) && call.ChildOperations.OfType<IArgumentOperation>().Any(
            argument => Operations.WithoutConversions(argument.Value) is ILocalReferenceOperation array
                && SymbolEqualityComparer.Default.Equals(array.Local, local));

    // for (var i = 0; i < rented.Length; i++) with a body that reads the elements and writes none.
    private static bool IsBoundOfRead(IOperation length, ILocalSymbol local)
    {
        if (length.Parent is not IBinaryOperation { OperatorKind: BinaryOperatorKind.LessThan, Parent: IForLoopOperation loop })
        {
            return false;
        }

        var elements = loop.Body.Descendants().OfType<IArrayElementReferenceOperation>().Where(element =>
            element.ArrayReference is ILocalReferenceOperation array && SymbolEqualityComparer.Default.Equals(array.Local, local))
                .ToList();
        return elements.Count > 0 && elements.Select(WithFields).All(place => place.Parent switch
        {
            IAssignmentOperation assignment => !ReferenceEquals(assignment.Target, place),
            IArgumentOperation argument => argument.Parameter?.RefKind is null or RefKind.None,
            IIncrementOrDecrementOperation or IAddressOfOperation => false,
            _ => true,
        });
    }

    // The field of a struct is a part of the element.
    private static IOperation WithFields(IOperation element)
    {
        while (element is { Type.IsValueType: true, Parent: IFieldReferenceOperation field })
        {
            element = field;
        }

        return element;
    }

    private static bool IsAssigned(ILocalReferenceOperation reference) => reference.Parent switch
    {
        IAssignmentOperation assignment => ReferenceEquals(assignment.Target, reference),
        IArgumentOperation argument => argument.Parameter?.RefKind is RefKind.Ref or RefKind.Out,
        ITupleOperation { Parent: IDeconstructionAssignmentOperation deconstruction } tuple =>
            ReferenceEquals(deconstruction.Target, tuple),
        _ => false,
    };

    private static bool IsIterated(IOperation reference)
    {
        var parent = reference.Parent;
        while (parent is IConversionOperation)
        {
            parent = parent.Parent;
        }

        return parent is IForEachLoopOperation loop && loop.Collection.Syntax.Span.Contains(reference.Syntax.Span)
            && Operations.WithoutConversions(loop.Collection) is ILocalReferenceOperation;
    }

    // It waits for, or fails without, the bytes beyond the requested length.
    private static bool IsReadExactly(ILocalReferenceOperation reference) =>
        ArgumentOf(reference) is { Parent: IInvocationOperation call } && (IsReadExactly(call)
            || (call is { TargetMethod.Name: "AsSpan" or "AsMemory", Arguments.Length: 1 }
                && ArgumentOf(call) is { Parent: IInvocationOperation outer } && IsReadExactly(outer)));

    private static bool IsReadExactly(IInvocationOperation call) =>
        call.TargetMethod.Name is "ReadExactly" or "ReadExactlyAsync" && Inherits(call.TargetMethod.ContainingType, "Stream")
        && !HasCount(call);

    private static bool IsFilled(ILocalReferenceOperation reference)
    {
        var name =
            ArgumentOf(reference) is { Parent: IInvocationOperation call } && !HasCount(call) ? call.TargetMethod.Name : "";
        return name is "ReadExactly" or "ReadExactlyAsync" or "NextBytes" or "Fill" or "Clear"
            || (string.Equals(name, "AsSpan", StringComparison.Ordinal)
                && ArgumentOf(reference)!.Parent!.Parent is IInvocationOperation { TargetMethod.Name: "Fill" or "Clear" });
    }
}
