using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Poolhouse.Analyzers;

/// <summary>Shapes of operations that several rules look for.</summary>
internal static class Operations
{
    /// <summary>The operation without the conversions around it that keep the same object.</summary>
    public static IOperation WithoutConversions(IOperation operation)
    {
        while (operation is IConversionOperation { OperatorMethod: null } conversion && !IsMemory(conversion.Type))
        {
            operation = conversion.Operand;
        }

        return operation is IParenthesizedOperation parenthesized ? WithoutConversions(parenthesized.Operand) : operation;
    }

    /// <summary>The task whose result the operation takes: by await, by Result, or by GetAwaiter().GetResult().</summary>
    public static IOperation? AwaitedTask(IOperation operation) => operation switch
    {
        IAwaitOperation wait => WithoutConfigureAwait(wait.Operation),
        IPropertyReferenceOperation { Property.Name: "Result", Instance: { } instance } when IsTask(instance.Type)
            => WithoutConfigureAwait(instance),
        IInvocationOperation { TargetMethod.Name: "GetResult", Instance: IInvocationOperation { TargetMethod.Name: "GetAwaiter" } awaiter }
            when awaiter.Instance is { } instance => WithoutConfigureAwait(instance),
        _ => null,
    };

    /// <summary>
    /// Whether the type is a span, a memory, a segment or a sequence: a part of memory with another owner.
    /// </summary>
    public static bool IsMemory(ITypeSymbol? type) => type is INamedTypeSymbol
    {
        Name: "Span" or "ReadOnlySpan" or "Memory" or "ReadOnlyMemory" or "ArraySegment" or "ReadOnlySequence",
        Arity: 1,
        ContainingNamespace.Name: "System" or "Buffers",
    };

    public static bool IsSpan(ITypeSymbol? type) => IsMemory(type) && type is { Name: "Span" or "ReadOnlySpan" };

    public static bool IsTask(ITypeSymbol? type) =>
        type is
        {
            Name: "Task" or "ValueTask",
            ContainingNamespace.Name: "Tasks",
            ContainingNamespace.ContainingNamespace.Name: "Threading",
        };

    /// <summary>T of Task&lt;T&gt; and ValueTask&lt;T&gt;.</summary>
    public static ITypeSymbol? ResultOf(ITypeSymbol? type) =>
        type is INamedTypeSymbol { TypeArguments.Length: 1 } task && IsTask(type) ? task.TypeArguments[0] : null;

    /// <summary>The value of the first parameter: arguments stand in the order in which they are evaluated.</summary>
    public static IOperation? FirstArgument(IInvocationOperation call) =>
        call.Arguments.FirstOrDefault(argument => argument.Parameter?.Ordinal == 0)?.Value;

    public static bool IsNull(IOperation value) => value switch
    {
        IDefaultValueOperation => true,
        IObjectCreationOperation { Arguments.IsEmpty: true, Type.IsValueType: true } creation
            => creation.Constructor is null || creation.Constructor.IsImplicitlyDeclared,
        IConversionOperation conversion => IsNull(conversion.Operand),
        _ => value.ConstantValue is { HasValue: true, Value: null },
    };

    /// <summary>Whether correct programs expect an exception of the operation: an await, I/O, or code of the caller.</summary>
    public static bool IsFallible(IOperation operation) => operation switch
    {
        IAwaitOperation => true,
        IInvocationOperation { TargetMethod.MethodKind: MethodKind.DelegateInvoke } => true,
        IInvocationOperation { Instance.Type: { } type } => IsChannel(type),
        _ => false,
    };

    /// <summary>The exact type of a thrown exception; null unless it is created where it is thrown.</summary>
    public static ITypeSymbol? CreatedException(IOperation? thrown) => thrown switch
    {
        IConversionOperation conversion => CreatedException(conversion.Operand),
        IObjectCreationOperation creation => creation.Type,
        _ => null,
    };

    public static bool IsException(ITypeSymbol? type)
    {
        while (type?.BaseType is { SpecialType: not SpecialType.System_Object } parent)
        {
            type = parent;
        }

        return type is { Name: "Exception", ContainingNamespace.Name: "System" };
    }

    public static bool IsOrDerivesFrom(ITypeSymbol? type, ITypeSymbol parent)
    {
        while (type is not null && !SymbolEqualityComparer.Default.Equals(type, parent))
        {
            type = type.BaseType;
        }

        return type is not null;
    }

    private static bool IsChannel(ITypeSymbol? type)
    {
        for (; type is not null; type = type.BaseType)
        {
            if (type.Name is "Stream" or "Socket" or "PipeReader" or "PipeWriter" or "TextReader" or "TextWriter")
            {
                return true;
            }
        }

        return false;
    }

    public static bool IsLimitedWait(IInvocationOperation call) =>
        string.Equals(call.TargetMethod.Name, "WaitAsync", StringComparison.Ordinal) && IsTask(call.TargetMethod.ContainingType);

    public static IOperation WithoutConfigureAwait(IOperation task)
    {
        while (task is IInvocationOperation
            {
                TargetMethod.Name: "ConfigureAwait" or "AsTask" or "Preserve",
                Instance: { } instance,
            })
        {
            task = instance;
        }

        return task;
    }
}
